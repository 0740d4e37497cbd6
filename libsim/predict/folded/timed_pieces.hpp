// Timed pieces are the pieces of a stage (libsim/training/step/stage_step.hpp) with the times of their collectives,
// which is all that the clocks of a folded step need.
//
// Folded, a stage's collectives have one member that stands for all, so their times are known beforehand; only the two
// in which stages meet are marked as such. Marks, and pieces that take no time, are left out.
#pragma once

#include "libsim/group.hpp"
#include "libsim/training/step/rank_map.hpp"
#include "libsim/training/step/stage_step.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace sim::predict {

struct TimedPiece {
    enum class Kind : std::uint8_t {
        compute,
        collect,      // the program waits
        stream,       // on the data stream
        gather,       // on the data stream, until `gathered` of the same bucket
        gathered,     // the program waits for that gather
        streamed,     // on the data stream, until the same bucket's `gathered`
        at_the_ends,  // the first and the last stage meet
        everywhere,   // all stages meet
    };
    Kind kind = Kind::compute;
    Duration time{0};
    const training::GradientBucket* bucket = nullptr;
};
using TimedPieces = std::vector<TimedPiece>;

// Prices the collectives of a step. Keeps references to `plan` and `map`, which must outlive it. Requires: `map` is
// folded.
class CollectivePrices {
public:
    CollectivePrices(const training::StepPlan& plan, const training::RankMap& map);

    // Prices the pieces of `stage` from now on. Returns whether its prices differ from the previous stage's.
    bool move_to(int stage);
    TimedPieces timed(const training::Pieces& pieces);

private:
    struct Known {
        training::StepCollective what;
        Footprint members;
        Duration time{0};
    };
    TimedPiece timed(const training::Piece& piece);
    // The groups that differ from stage to stage.
    static constexpr std::array stage_groups{
        training::RankGroup::replicas,      training::RankGroup::expert_replicas,
        training::RankGroup::shards,        training::RankGroup::shard_copies,
        training::RankGroup::expert_shards, training::RankGroup::expert_shard_copies};
    using Footprints = std::array<Footprint, stage_groups.size()>;

    Footprints footprints_of_stage() const;
    Footprint members_of(training::RankGroup group) const;
    Duration of(const training::StepCollective& one);

    const training::StepPlan* plan_;
    const training::RankMap* map_;
    int stage_ = -1;
    Footprints of_stage_;
    std::vector<Known> known_;  // a step has few different ones
};

}  // namespace sim::predict
