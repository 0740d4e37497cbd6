// Kernels of binary extensions: their code is registered when they are loaded, and refused by name when launched.
//
// A launch throws, because few programs check its result, and they would continue with values that were never computed.
#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>

namespace sim::slot {

namespace {

std::mutex kernel_guard;
std::map<const void*, std::string>& kernel_names() {
    static auto* all = new std::map<const void*, std::string>;  // never destroyed: extensions are unloaded last
    return *all;
}

std::string readable_name(const char* name) {
    int error = 0;
    char* text = abi::__cxa_demangle(name, nullptr, nullptr, &error);
    std::string result = error == 0 ? text : name;
    std::free(text);
    return result;
}

std::string what_is(const void* kernel) {
    const std::lock_guard lock(kernel_guard);
    const auto known = kernel_names().find(kernel);
    return "kernels of binary extensions" +
           (known == kernel_names().end() ? "" : ": " + readable_name(known->second.c_str()));
}

[[noreturn]] void refuse_launch(const void* kernel) {
    throw std::runtime_error("ndsim does not simulate " + what_is(kernel));
}

}  // namespace

}  // namespace sim::slot

using namespace sim::slot;

extern "C" {

void** __cudaRegisterFatBinary(void*) {
    static void* handle = nullptr;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void**, const char* kernel, char*, const char* name, int, void*, void*, void*, void*,
                            int*) {
    const std::lock_guard lock(kernel_guard);
    kernel_names()[kernel] = name;
}

void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}

void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int) {}

char __cudaInitModule(void**) {
    return 1;
}

// Launches are refused below, so no configuration need be kept.
unsigned __cudaPushCallConfiguration() {
    return 0;
}

cudaError_t __cudaPopCallConfiguration() {
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* kernel) {
    refuse_launch(kernel);
}

// Code from CUDA 13's compiler launches a handle, which it requests here first.
cudaError_t __cudaGetKernel(const void** handle, const void* kernel) {
    *handle = kernel;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(const void* handle) {
    refuse_launch(handle);
}

cudaError_t __cudaLaunchKernel_ptsz(const void* handle) {
    refuse_launch(handle);
}

cudaError_t cudaLaunchKernelExC(const void*, const void* kernel) {
    refuse_launch(kernel);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel) {
    refuse_launch(kernel);
}

cudaError_t cudaFuncGetAttributes(void*, const void* kernel) {
    return not_simulated(what_is(kernel));
}

cudaError_t cudaFuncSetAttribute(const void* kernel) {
    return not_simulated(what_is(kernel));
}
}
