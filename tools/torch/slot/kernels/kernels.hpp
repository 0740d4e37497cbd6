// The operators that PyTorch has only for CUDA, as functions of CPU tensors. They are called like PyTorch's own CPU
// kernels: run_operator passes them CPU tensors on the GPU tensors' data, and their results become GPU tensors.
//
// While one runs, the current device is that of its tensors, autograd is off, and a generator argument is already a CPU
// generator. cuda_only.toml lists the operators, and those that are refused.
#pragma once

#include "tools/torch/slot/operator_names.hpp"

#include <ATen/core/boxing/KernelFunction.h>

#include <string>
#include <unordered_map>

namespace sim::slot {

// The tensors that a kernel accepts besides CPU tensors.
enum class Takes {
    meta_tensors,  // tensors with only shapes, like its results
    numbers_alone
};

struct Kernel {
    c10::KernelFunction function;
    Takes takes;
};

class Kernels {
public:
    // `name` is that of native_functions.yaml: "mm.dtype".
    template <typename Function>
    void add(const char* name, Function* function, Takes takes = Takes::meta_tensors) {
        all_.emplace(name, Kernel{c10::KernelFunction::makeFromUnboxedRuntimeFunction(function), takes});
    }
    // Null if PyTorch's own CPU kernel runs.
    const Kernel* find(const c10::OperatorName& name) const;

private:
    std::unordered_map<std::string, Kernel> all_;
};

const Kernels& kernels();

// One function per file of this folder.
void add_attention(Kernels& kernels);
void add_batch_norms(Kernels& kernels);
void add_convolutions(Kernels& kernels);
void add_ctc_losses(Kernels& kernels);
void add_grid_samplers(Kernels& kernels);
void add_packed_attention(Kernels& kernels);
void add_products(Kernels& kernels);
void add_random_draws(Kernels& kernels);
void add_recurrent_cells(Kernels& kernels);
void add_recurrent_layers(Kernels& kernels);
void add_rms_norms(Kernels& kernels);
void add_softmaxes(Kernels& kernels);
void add_synchronized_batch_norms(Kernels& kernels);

}  // namespace sim::slot
