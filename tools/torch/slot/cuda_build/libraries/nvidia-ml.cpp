// NVML (libnvidia-ml.so.1), with which programs count and name the GPUs of a node: all of them, visible or not. Queries
// of clocks, temperatures and links, which a simulated GPU does not have, are not supported.
#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <strings.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>

using namespace sim::slot;

namespace {

enum Result {
    success = 0,
    uninitialized = 1,
    invalid_argument = 2,
    not_supported = 3,
    not_found = 6,
    insufficient_size = 7
};

// A device's handle is its number plus 1.
using Device = void*;
std::int32_t number_at(Device device) {
    return static_cast<std::int32_t>(reinterpret_cast<std::uintptr_t>(device)) - 1;
}

bool is_there(Device device) {
    return has_gpu() && number_at(device) >= 0 && number_at(device) < gpu().devices;
}

Result give(Device* device, std::int32_t number) {
    *device = reinterpret_cast<Device>(static_cast<std::uintptr_t>(number) + 1);
    return is_there(*device) ? success : not_found;
}

Result write(char* to, unsigned size, const std::string& text) {
    std::snprintf(to, size, "%s", text.c_str());
    return success;
}

struct Memory {
    unsigned long long total, free, used;
};

Memory memory_of(Device device) {
    const auto total = static_cast<unsigned long long>(gpu().properties(number_at(device))->memory_bytes);
    const auto free = static_cast<unsigned long long>(gpu().free_bytes(number_at(device)));
    return {total, free, total - free};
}

// Only this process, since each has simulated GPUs of its own.
struct Process {
    unsigned id;
    unsigned long long bytes;
};
struct ProcessOfPart {
    Process process;
    unsigned gpu_instance, compute_instance;
};

template <class Record>
Result give_processes(Device device, unsigned* count, Record* records) {
    if (!is_there(device)) {
        return invalid_argument;
    }
    const bool has_room = records != nullptr && *count > 0;
    *count = 1;
    if (!has_room) {
        return insufficient_size;
    }
    const Process own{static_cast<unsigned>(getpid()), memory_of(device).used};
    std::memset(records, 0, sizeof *records);
    std::memcpy(records, &own, sizeof own);
    return success;
}

}  // namespace

extern "C" {

Result nvmlInit_v2() {
    return has_gpu() ? success : uninitialized;
}
Result nvmlInit() {
    return nvmlInit_v2();
}
Result nvmlInitWithFlags(unsigned) {
    return nvmlInit_v2();
}
Result nvmlShutdown() {
    return success;
}

const char* nvmlErrorString(Result result) {
    switch (result) {
        case success: return "Success";
        case uninitialized: return "Uninitialized";
        case not_found: return "Not Found";
        case invalid_argument: return "Invalid Argument";
        default: return "Not Supported";
    }
}

Result nvmlSystemGetCudaDriverVersion_v2(int* version) {
    *version = CUDART_VERSION;
    return success;
}
Result nvmlSystemGetCudaDriverVersion(int* version) {
    return nvmlSystemGetCudaDriverVersion_v2(version);
}
Result nvmlSystemGetDriverVersion(char* text, unsigned size) {
    return write(text, size, "simulated by ndsim");
}

Result nvmlDeviceGetCount_v2(unsigned* count) {
    *count = has_gpu() ? static_cast<unsigned>(gpu().devices) : 0;
    return success;
}
Result nvmlDeviceGetCount(unsigned* count) {
    return nvmlDeviceGetCount_v2(count);
}

Result nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
    return give(device, static_cast<std::int32_t>(index));
}
Result nvmlDeviceGetHandleByIndex(unsigned index, Device* device) {
    return nvmlDeviceGetHandleByIndex_v2(index, device);
}

Result nvmlDeviceGetHandleByPciBusId_v2(const char* bus, Device* device) {
    for (std::int32_t number = 0; has_gpu() && number < gpu().devices; ++number) {
        const std::string name = pci_text(number);  // the domain has eight digits, of which four may be omitted
        if (strcasecmp(name.c_str(), bus) == 0 || strcasecmp(name.c_str() + 4, bus) == 0) {
            return give(device, number);
        }
    }
    return not_found;
}

Result nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
    for (std::int32_t number = 0; has_gpu() && number < gpu().devices; ++number) {
        if (uuid_of(number) == uuid) {
            return give(device, number);
        }
    }
    return not_found;
}

Result nvmlDeviceGetIndex(Device device, unsigned* index) {
    *index = static_cast<unsigned>(number_at(device));
    return is_there(device) ? success : invalid_argument;
}

Result nvmlDeviceGetName(Device device, char* text, unsigned size) {
    return is_there(device) ? write(text, size, gpu().properties(number_at(device))->name) : invalid_argument;
}

Result nvmlDeviceGetUUID(Device device, char* text, unsigned size) {
    return is_there(device) ? write(text, size, uuid_of(number_at(device))) : invalid_argument;
}

Result nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
    if (!is_there(device)) {
        return invalid_argument;
    }
    *major = gpu().properties(number_at(device))->major;
    *minor = gpu().properties(number_at(device))->minor;
    return success;
}

Result nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
    if (!is_there(device)) {
        return invalid_argument;
    }
    *memory = memory_of(device);
    return success;
}

Result nvmlDeviceGetComputeRunningProcesses(Device device, unsigned* count, Process* processes) {
    return give_processes(device, count, processes);
}
Result nvmlDeviceGetComputeRunningProcesses_v2(Device device, unsigned* count, ProcessOfPart* processes) {
    return give_processes(device, count, processes);
}
Result nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, ProcessOfPart* processes) {
    return give_processes(device, count, processes);
}

Result nvmlDeviceGetP2PStatus(Device, Device, int, int* status) {
    *status = 0;  // all devices of a node can reach each other
    return success;
}

// No fabric: everything after the version in the caller's record is zero.
Result nvmlDeviceGetGpuFabricInfoV(Device, void* info) {
    constexpr std::size_t bytes_of_version = 4, bytes_to_state = 25;
    std::memset(static_cast<char*>(info) + bytes_of_version, 0, bytes_to_state);
    return success;
}

__attribute__((visibility("hidden"))) long ndsim_missing(const char*) {
    return not_supported;
}
}
