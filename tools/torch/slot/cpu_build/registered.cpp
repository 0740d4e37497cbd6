#include "tools/torch/slot/cpu_build/module.hpp"

#include "tools/torch/slot/device.hpp"

#include <iterator>
#include <map>
#include <mutex>

namespace sim::slot {

namespace {

constexpr int success = 0;
constexpr int invalid_value = 1;
constexpr int already_registered = 712;
constexpr int not_registered = 713;

std::mutex registered_guard;
std::map<std::uintptr_t, std::size_t>& registered() {
    static auto* const all = new std::map<std::uintptr_t, std::size_t>;  // used until the process ends
    return *all;
}

bool is_registered(std::uintptr_t address) {
    const auto next = registered().upper_bound(address);
    return next != registered().begin() && address < std::prev(next)->first + std::prev(next)->second;
}

}  // namespace

int register_host(std::uintptr_t address, std::size_t bytes) {
    const std::lock_guard lock(registered_guard);
    if (address == 0 || bytes == 0) {
        return invalid_value;
    }
    if (is_registered(address)) {
        return already_registered;
    }
    registered()[address] = bytes;
    return success;
}

int unregister_host(std::uintptr_t address) {
    const std::lock_guard lock(registered_guard);
    return registered().erase(address) == 1 ? success : not_registered;
}

bool is_pinned_by_program(const void* address) {
    const std::lock_guard lock(registered_guard);
    return is_registered(reinterpret_cast<std::uintptr_t>(address));
}

}  // namespace sim::slot
