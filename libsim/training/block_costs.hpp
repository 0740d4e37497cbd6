// Block costs are the seconds that each operator of a block takes on a machine: its kernels, its collectives, and the
// part of a collective that the framework does not hide.
//
// All are seconds of one micro-batch on one rank; block_time.hpp puts them in order and rounds them.
#pragma once

#include "libsim/training/kernel_time.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/operators.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace sim::training {

// The groups that a block's collectives run over.
struct BlockGroups {
    Footprint tensor;
    Footprint heads;
    Footprint context;
    Footprint expert;
    Footprint expert_tensor;
};

class BlockCosts {
public:
    // Keeps references to all but the groups.
    BlockCosts(const Transformer& model, const Machine& machine, const Layout& layout, const BlockGroups& groups);

    // A collective takes its full time, as if nothing ran beside it; context parallelism's ring takes 0, see
    // context_seconds().
    double forward_seconds(const Operator& op) const;

    struct Gradients {
        double input;
        double weight;
    };
    Gradients gradients_of(const Operator& op) const;          // of a GEMM
    double core_backward_seconds(const Operator& op) const;    // of attention's scores, or of a scan
    double memory_backward_seconds(const Operator& op) const;  // of a memory-bound kernel
    double expert_backward_seconds(const Operator& op) const;  // of dispatch, combine, and collectives within experts
    // A collective of context parallelism, which nothing hides; 0 without one.
    double context_collective_seconds(std::optional<CollectiveKind> kind, double bytes) const;

    // The exposed part of a tensor-parallel collective: in the forward pass of operators[at], after a product of
    // `last_product` seconds; in the backward pass beside a weight gradient.
    double tensor_forward_seconds(const std::vector<Operator>& operators, std::size_t at, double last_product) const;
    double tensor_backward_seconds(const Operator& op, double weight_gradient) const;
    // The exposed part of the exchange of keys and values around a ring, beside an attention of `core` seconds.
    double context_seconds(double bytes, double core) const;
    // The exposed share of dispatch and combine: in an unpaired pass, and beside another micro-batch.
    double exposed_alone(const std::vector<Operator>& operators) const;
    double exposed_dispatch(const std::vector<Operator>& operators) const;

    // The number of launches of an operator that has `kernels` kernels, and the host's time for them.
    double launches_of(const Operator& op, double kernels, bool quantises) const;
    double host_seconds(double launches) const;
    // Seconds to copy to or from host memory.
    double host_copy_seconds(double bytes) const;

private:
    double busy_seconds(CollectiveKind kind, double bytes, const Footprint& members) const;
    double tensor_seconds(std::optional<CollectiveKind> kind, double bytes) const;
    double expert_seconds(double bytes) const;
    double next_product(const std::vector<Operator>& operators, std::size_t at) const;

    const Transformer* model_;
    const Machine* machine_;
    const Layout* layout_;
    BlockGroups groups_;
    KernelTimes kernels_;
};

}  // namespace sim::training
