// The operators that PyTorch has for CUDA alone, as functions of CPU tensors. They are called as PyTorch's own kernels
// for the CPU are: run_operator hands them the numbers of the GPU's tensors, and their results become the GPU's.
//
// While one runs, the current device is that of its tensors, autograd is off, and an argument that is a generator is
// one of the CPU already. Which operators there are, and which are refused, stands in cuda_only.toml.
#pragma once

#include "tools/torch/slot/operator_names.hpp"

#include <ATen/core/boxing/KernelFunction.h>

#include <string>
#include <unordered_map>

namespace sim::slot {

// What a kernel is given besides tensors of the CPU.
enum class Takes {
    meta_tensors,  // they have shapes alone, and so has what it returns
    numbers_alone
};

struct Kernel {
    c10::KernelFunction function;
    Takes takes;
};

class Kernels {
public:
    // `name` as native_functions.yaml has it: "mm.dtype".
    template <typename Function>
    void add(const char* name, Function* function, Takes takes = Takes::meta_tensors) {
        all_.emplace(name, Kernel{c10::KernelFunction::makeFromUnboxedRuntimeFunction(function), takes});
    }
    // Null: PyTorch's own kernel for the CPU runs.
    const Kernel* find(const c10::OperatorName& name) const;

private:
    std::unordered_map<std::string, Kernel> all_;
};

const Kernels& kernels();

// One for each file of this folder.
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
