// The state of a training is what a rank has to keep between two steps to go on as if nothing had happened; a
// checkpoint is this value as bytes.
//
// There is no random state: a rank's items are those that the seed gives it, in every step.
#pragma once

#include "scenarios/lesson/optimizer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sim::lesson {

// Of one pack (replica.hpp).
struct PackState {
    std::vector<std::uint64_t> places;  // of its weights, in the whole model
    std::vector<double> weights;        // ZeRO 3: of what others own not a number
    std::vector<std::uint64_t> own;     // which of them this rank steps
    OptimizerState optimizer;           // of these
    // Compressed gradients: by bucket, what was not sent yet.
    std::vector<std::vector<double>> unsent;
};

// Chunk after chunk; of each what all replicas share, then its experts, if there are any.
using TrainingState = std::vector<PackState>;

std::vector<std::byte> bytes_of(const TrainingState& state);
// Requires: it is what bytes_of() has made.
TrainingState state_of(std::span<const std::byte> bytes);

// The states of all ranks, put together for ranks that have other parts of the model: as many replicas as there were,
// or fewer.
class WholeState {
public:
    explicit WholeState(std::span<const TrainingState> ranks);

    // Fills in `part`, of which it takes the places and what the rank owns; what was not sent yet is lost.
    void fill(PackState& part) const;

private:
    struct Element {
        double weight = 0;
        double mean = 0;
        double square = 0;
    };
    std::vector<Element> elements_;  // by place in the model
    int optimizer_steps_ = 0;
};

}  // namespace sim::lesson
