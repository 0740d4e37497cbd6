// A simulated GPU for the tests of the slot, whose times are easy to work out by hand: a kernel takes 10 us on its
// stream, a copy 1 us per KiB, and each costs its host 1 us.
#include "tools/torch/seam.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace {

using namespace sim::seam;

constexpr std::int64_t microsecond = 1'000'000;
constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

std::int64_t asked(const char* name, std::int64_t otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::atoll(text) : otherwise;
}

struct Memory {
    std::int64_t bytes = 0;
    std::int32_t device = 0;
};

constexpr std::size_t addresses = std::size_t{1} << 40;  // more than any test reserves

std::recursive_mutex guard;
std::int64_t host = 0;
std::int64_t kernels = 0;
std::map<std::pair<std::int32_t, std::int64_t>, std::int64_t> ends;  // by stream
std::map<Mark, std::int64_t> marks;
std::map<std::int32_t, std::int64_t> streams;  // number of streams that each device has had
std::map<void*, Memory> reserved;
std::map<std::int32_t, std::int64_t> used, held;
char* next_address = nullptr;
std::map<std::string, std::int32_t> numbers;
Properties gpu;

std::int64_t& end_of(Stream stream) {
    return ends[{stream.device, stream.number}];
}

void give_work(Stream stream, std::int64_t picoseconds) {
    host += microsecond;
    end_of(stream) = std::max(end_of(stream), host) + picoseconds;
}

void wait_until(std::int64_t time) {
    host = std::max(host, time);
}

const char* why() {
    return "the stand-in does not do this";
}

const Properties* properties(std::int32_t) {
    return &gpu;
}

std::int64_t host_now() {
    return host;
}

void host_passes(std::int64_t picoseconds) {
    host += picoseconds;
}

std::int32_t known(const Operator& op) {
    const std::lock_guard lock(guard);
    return numbers.emplace(op.name, static_cast<std::int32_t>(numbers.size())).first->second;
}

bool launch(std::int32_t, const Value*, std::int32_t, const Value*, Stream stream) {
    const std::lock_guard lock(guard);
    ++kernels;
    give_work(stream, 10 * microsecond);
    return true;
}

bool copy(const Copy& what, Stream stream) {
    const std::lock_guard lock(guard);
    give_work(stream, (what.bytes + 1023) / 1024 * microsecond);
    if (what.is_blocking) {
        wait_until(end_of(stream));
    }
    return true;
}

bool spin(std::int64_t picoseconds, Stream stream) {
    const std::lock_guard lock(guard);
    give_work(stream, picoseconds);
    return true;
}

std::int64_t new_stream(std::int32_t device, std::int32_t) {
    const std::lock_guard lock(guard);
    return ++streams[device];
}

Mark record(Stream stream) {
    const std::lock_guard lock(guard);
    static Mark last = 0;
    marks[++last] = std::max(end_of(stream), host);
    return last;
}

bool wait(Stream stream, Mark mark) {
    const std::lock_guard lock(guard);
    end_of(stream) = std::max(end_of(stream), marks.at(mark));
    return true;
}

// Advances the host's clock, so that a polling loop ends.
std::int32_t has_passed_by(std::int64_t time) {
    if (time <= host) {
        return 1;
    }
    host += microsecond;
    return 0;
}

std::int32_t has_passed(Mark mark) {
    const std::lock_guard lock(guard);
    return has_passed_by(marks.at(mark));
}

std::int32_t is_idle(Stream stream) {
    const std::lock_guard lock(guard);
    return has_passed_by(end_of(stream));
}

std::int64_t time_of(Mark mark) {
    const std::lock_guard lock(guard);
    return marks.at(mark);
}

bool synchronize_mark(Mark mark) {
    const std::lock_guard lock(guard);
    wait_until(marks.at(mark));
    return true;
}

bool synchronize_stream(Stream stream) {
    const std::lock_guard lock(guard);
    wait_until(end_of(stream));
    return true;
}

bool synchronize_device(std::int32_t device) {
    const std::lock_guard lock(guard);
    for (const auto& [stream, end] : ends) {
        if (stream.first == device) {
            wait_until(end);
        }
    }
    return true;
}

void forget(Mark mark) {
    const std::lock_guard lock(guard);
    marks.erase(mark);
}

void* reserve(std::int32_t device, std::int64_t bytes) {
    const std::lock_guard lock(guard);
    if (used[device] + bytes > gpu.memory_bytes) {
        return nullptr;
    }
    if (next_address == nullptr) {
        next_address = static_cast<char*>(
            mmap(nullptr, addresses, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    }
    void* const memory = std::exchange(next_address, next_address + bytes);
    reserved[memory] = {bytes, device};
    used[device] += bytes;
    return memory;
}

void give_back(void* address) {
    const std::lock_guard lock(guard);
    const auto at = reserved.find(address);
    used[at->second.device] -= at->second.bytes;
    madvise(address, static_cast<std::size_t>(at->second.bytes), MADV_DONTNEED);
    reserved.erase(at);
}

std::int64_t free_bytes(std::int32_t device) {
    const std::lock_guard lock(guard);
    return gpu.memory_bytes - used[device];
}

void hold(std::int32_t device, std::int64_t bytes) {
    const std::lock_guard lock(guard);
    held[device] += bytes;
}

Gpu table;

}  // namespace

extern "C" {

const Gpu* stand_in_gpu() {
    gpu = {.name = "a stand-in GPU",
           .major = 9,
           .minor = 0,
           .memory_bytes = asked("STAND_IN_GIB", 80) * gibibyte,
           .multiprocessors = 132,
           .l2_bytes = 50 << 20,
           .shared_bytes_per_multiprocessor = 228 << 10,
           .clock_hertz = 1e9};
    table.devices = static_cast<std::int32_t>(asked("STAND_IN_DEVICES", 2));
    table.is_hollow = asked("STAND_IN_IS_HOLLOW", 0) != 0;
    table.error = why;
    table.error_number = [] { return 0; };
    table.properties = properties;
    table.host_now = host_now;
    table.host_passes = host_passes;
    table.known = known;
    table.multiplies = [](std::int32_t) { return false; };
    table.launch = launch;
    table.copy = copy;
    table.spin = spin;
    table.new_stream = new_stream;
    table.record = record;
    table.wait = wait;
    table.has_passed = has_passed;
    table.is_idle = is_idle;
    table.time_of = time_of;
    table.synchronize_mark = synchronize_mark;
    table.synchronize_stream = synchronize_stream;
    table.synchronize_device = synchronize_device;
    table.forget = forget;
    // Supports neither capture nor profiling.
    table.begin_capture = [](Stream, bool) { return false; };
    table.capture_status = [](Stream) { return std::int64_t{0}; };
    table.watch = [](bool) {};
    table.tag = [](std::uint64_t) {};
    table.seen = [](const Seen**) { return 0; };
    table.reserve = reserve;
    table.give_back = give_back;
    table.free_bytes = free_bytes;
    table.hold = hold;
    return &table;
}

std::int64_t stand_in_host_time() {
    return host;
}
std::int64_t stand_in_kernels() {
    return kernels;
}
std::int64_t stand_in_streams(std::int32_t device) {
    return streams[device];
}
std::int64_t stand_in_held(std::int32_t device) {
    return held[device];
}
std::int64_t stand_in_used(std::int32_t device) {
    return used[device];
}
std::int64_t stand_in_marks() {
    return static_cast<std::int64_t>(marks.size());
}
}
