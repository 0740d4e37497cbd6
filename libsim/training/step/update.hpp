// The update is an optimizer's step on one rank: passes over parameters and states, and the products of its row with
// each hidden matrix.
//
// Ranks that share the states (zero 1 to 3) share the products: each has those of the matrices in its part, and of one
// more on average, if matrices are gathered whole (Liu et al. 2025, arXiv 2502.16982, algorithm 1).
#pragma once

#include "libsim/training/layer_training.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/units.hpp"

namespace sim::training {

// The matrices of a part of a stage on one rank, before sharding.
struct MatrixWork {
    double matrices = 0;
    double numbers = 0;         // in all of them
    double further_states = 0;  // bytes of the part beyond those that updated_bytes() counts for each number
    double seconds = 0;         // of the products with all of them

    MatrixWork& operator+=(const MatrixWork& other);
    // Seconds of the products of one of `ranks` that share the matrices.
    double seconds_of_rank(const OptimizerRow& row, int ranks) const;
};
// `parameters`: all numbers of the part, without adapters.
MatrixWork matrix_work(const Accelerator& gpu, const Layout& layout, const PartTraining& part, double parameters);

// The parameters that a rank updates in a step.
struct UpdateWork {
    double dense = 0;    // parameters, before sharding
    double experts = 0;  // the same
    MatrixWork dense_matrices;
    MatrixWork expert_matrices;
};
// Parameters of a bucket on one rank that adapters leave frozen, and matrices that an optimizer's update gathers.
struct FrozenAndGathered {
    std::int64_t frozen = 0;
    double frozen_dense_bytes = 0;  // as kept
    double frozen_expert_bytes = 0;
    double updated_dense_bytes = 0;  // gathered over the replicas
    double updated_expert_bytes = 0;

    FrozenAndGathered& operator+=(const FrozenAndGathered& other);
};

// Bytes per parameter, and the rate of memory-bound kernels.
struct UpdateBytes {
    double gradient = 4;
    double parameter = 2;
    double rate = 0;
};
// Bytes that are read and written per parameter and micro-batch to add its gradients to their sum.
double added_bytes_of(const Layout& layout);
Duration update_time(const Machine& machine, const Layout& layout, const UpdateWork& work, const UpdateBytes& bytes);

}  // namespace sim::training
