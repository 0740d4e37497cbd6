#include "tools/torch/slot/seam_table.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

namespace sim::slot {

namespace {

const seam::Gpu* table = nullptr;

std::optional<std::int32_t> device_named(std::string_view word) {
    std::int32_t number = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && end == word.data() + word.size()) {
        return number >= 0 && number < gpu().devices ? std::optional(number) : std::nullopt;
    }
    for (std::int32_t device = 0; word.starts_with("GPU-") && device < gpu().devices; ++device) {
        if (uuid_of(device).starts_with(word)) {
            return device;
        }
    }
    return std::nullopt;
}

std::string_view without_spaces(std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    return word.substr(0, word.find_last_not_of(' ') + 1);
}

// CUDA's rules: the first word that does not name a device ends the list, and a list that names one twice is empty.
std::vector<std::int32_t> devices_named(std::string_view names) {
    std::vector<std::int32_t> devices;
    while (!names.empty()) {
        const std::string_view word = names.substr(0, names.find(','));
        names.remove_prefix(std::min(names.size(), word.size() + 1));
        const std::optional<std::int32_t> device = device_named(without_spaces(word));
        if (!device) {
            break;
        }
        if (std::find(devices.begin(), devices.end(), *device) != devices.end()) {
            return {};
        }
        devices.push_back(*device);
    }
    return devices;
}

std::vector<std::int32_t> all_devices() {
    std::vector<std::int32_t> devices;
    for (std::int32_t device = 0; device < gpu().devices; ++device) {
        devices.push_back(device);
    }
    return devices;
}

const std::vector<std::int32_t>& devices() {
    static const std::vector<std::int32_t> visible = [] {
        const char* const names = std::getenv("CUDA_VISIBLE_DEVICES");
        return names != nullptr ? devices_named(names) : all_devices();
    }();
    return visible;
}

}  // namespace

const seam::Gpu& gpu() {
    return *table;
}

bool has_gpu() {
    return table != nullptr;
}

int visible_devices() {
    return has_gpu() ? static_cast<int>(devices().size()) : 0;
}

std::int32_t seam_device(int device) {
    return devices().at(static_cast<std::size_t>(device));
}

std::string uuid_of(std::int32_t number) {
    std::string text(40, '\0');
    std::snprintf(text.data(), text.size() + 1, "GPU-00000000-0000-0000-0000-%012x", static_cast<unsigned>(number + 1));
    return text;
}

}  // namespace sim::slot

extern "C" void ndsim_use_gpu(const sim::seam::Gpu* gpu) {
    sim::slot::table = gpu;
}
