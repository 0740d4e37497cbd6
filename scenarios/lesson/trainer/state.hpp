// The state of a training is what a rank has to keep between two steps to continue as if nothing had happened; a
// checkpoint is this value as bytes.
//
// There is no random state: the seed determines a rank's items, in every step.
#pragma once

#include "scenarios/lesson/optimizer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sim::lesson {

// The state of one pack (replica.hpp).
struct PackState {
    std::vector<std::uint64_t> places;  // of its weights, in the whole model
    std::vector<double> weights;        // ZeRO 3: NaN for those that others own
    std::vector<std::uint64_t> own;     // the ones that this rank updates
    OptimizerState optimizer;           // for `own`
    // Compressed gradients: the values not sent yet, by bucket.
    std::vector<std::vector<double>> unsent;
};

// Chunk by chunk; for each the weights that all replicas share, then its experts, if there are any.
using TrainingState = std::vector<PackState>;

std::vector<std::byte> bytes_of(const TrainingState& state);
// Requires: bytes_of() made them.
TrainingState state_of(std::span<const std::byte> bytes);

// The states of all ranks, combined for ranks that have other parts of the model: as many replicas as before, or fewer.
class WholeState {
public:
    explicit WholeState(std::span<const TrainingState> ranks);

    // Fills in `part` by its places and by the places that the rank owns; unsent gradients are lost.
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
