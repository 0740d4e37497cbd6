#include "libsim/predict/pass_places.hpp"

#include "libsim/check.hpp"

#include <algorithm>

namespace sim::predict {

using training::PassKind;
using training::Piece;
using training::StageStep;

PassPlaces::PassPlaces(const training::StepPlan& plan, const training::RankMap& map)
    : plan_(&plan), map_(&map), places_(static_cast<std::size_t>(map.ranks())) {
    const auto is_span = [](const Piece& piece) {
        return piece.kind == training::PieceKind::compute && is_pass(piece.work) && piece.time.count() > 0;
    };
    for (int stage = 0; stage < plan.layout.parallelism.pp; ++stage) {
        orders_.push_back(plan.layout.parallelism.schedule->steps(plan.shape, stage));
        std::vector<ChunkComputations>& chunks = done_.emplace_back();
        const int alike = plan.stages[static_cast<std::size_t>(stage)].first_alike;
        if (alike != stage) {
            chunks = done_[static_cast<std::size_t>(alike)];
            continue;
        }
        for (const training::ChunkPasses& chunk : training::stage_step(plan, stage).chunks) {
            ChunkComputations& kinds = chunks.emplace_back();
            for (std::size_t kind = 0; kind < training::pass_kinds; ++kind) {
                if (chunk.has(static_cast<PassKind>(kind)) || chunk.has(chunk.listed(static_cast<PassKind>(kind)))) {
                    const training::Pieces& pieces = chunk.of(static_cast<PassKind>(kind));
                    std::copy_if(pieces.begin(), pieces.end(), std::back_inserter(kinds[kind]), is_span);
                }
            }
        }
    }
}

const PassPlaces::Computations& PassPlaces::computations_of(int stage, const PipelineStep& step) const {
    const PassKind kind = training::kind_of(step, micro_batches_of(*plan_));
    return done_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(step.chunk)][static_cast<std::size_t>(kind)];
}

PassPlace PassPlaces::next(int rank, training::StepWork work) {
    const int stage = map_->stage_of(rank);
    const std::vector<PipelineStep>& order = order_of(stage);
    Place& place = places_[static_cast<std::size_t>(rank)];
    const auto number = [&] { return place.pass % order.size(); };
    while (computations_of(stage, order[number()]).empty()) {
        ++place.pass;  // a chunk without layers computes nothing and leaves no span
    }
    const Computations& all = computations_of(stage, order[number()]);
    check(place.computation < all.size() && all[place.computation].work == work, "rank {} is not where its schedule is",
          rank);
    const PassPlace found{.step = &order[number()],
                          .number = number(),
                          .piece = &all[place.computation],
                          .computation = place.computation,
                          .computations = all.size()};
    if (++place.computation == all.size()) {
        place = {place.pass + 1, 0};
    }
    return found;
}

}  // namespace sim::predict
