// The block costs are what each operator of a block takes on a machine: its kernels' time, that of its collectives, and
// as much of a collective as the framework does not hide.
//
// Seconds, of one micro-batch on one rank; block_time.hpp puts them in order and rounds them.
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
    Footprint context;
    Footprint expert;
    Footprint expert_tensor;
};

class BlockCosts {
public:
    // Keeps references to all but the groups.
    BlockCosts(const Transformer& model, const Machine& machine, const Layout& layout, const BlockGroups& groups);

    // Of a collective: as if nothing ran beside it. Of context parallelism's exchange: 0, see context_seconds().
    double forward_seconds(const Operator& op) const;

    struct Gradients {
        double input;
        double weight;
    };
    Gradients gradients_of(const Operator& op) const;          // of a product
    double core_backward_seconds(const Operator& op) const;    // of attention's scores
    double memory_backward_seconds(const Operator& op) const;  // of a kernel that is bound by memory
    double expert_backward_seconds(const Operator& op) const;  // of dispatch, combine, and collectives within experts

    // The exposed part of a collective of tensor parallelism: operators[at] behind a product of `last_product` seconds,
    // and in the backward pass beside a weight gradient.
    double tensor_forward_seconds(const std::vector<Operator>& operators, std::size_t at, double last_product) const;
    double tensor_backward_seconds(const Operator& op, double weight_gradient) const;
    // The exposed part of the exchange of keys and values, beside an attention that takes `core`.
    double context_seconds(double bytes, double core) const;
    // The exposed share of dispatch and combine: in a pass that is in no pair, and beside another micro-batch.
    double exposed_alone(const std::vector<Operator>& operators) const;
    double exposed_dispatch(const std::vector<Operator>& operators) const;

    // What the host launches for an operator of `kernels`, and how long launching takes it.
    double launches_of(const Operator& op, double kernels, bool quantises) const;
    double host_seconds(double launches) const;
    // How long copying takes to the host's memory, or from it.
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
