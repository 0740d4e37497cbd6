#include "libsim/predict/folded/timed_pieces.hpp"

#include "libsim/check.hpp"
#include "libsim/network/footprint.hpp"
#include "libsim/network/nccl.hpp"

#include <algorithm>
#include <utility>

namespace sim::predict {

using training::PieceKind;
using training::PieceOrder;
using training::RankGroup;

CollectivePrices::CollectivePrices(const training::StepPlan& plan, const training::RankMap& map)
    : plan_(&plan), map_(&map) {
    check(map.folded(), "the ranks of an unfolded step meet in its collectives");
}

bool CollectivePrices::move_to(int stage) {
    const bool is_first = std::exchange(stage_, stage) < 0;
    // Stages that fill whole nodes have their groups in the same places within nodes.
    const int ranks_per_node = plan_->machine.network.ranks_per_node;
    if (!is_first && ranks_per_node > 0 && map_->real_rank(1) % ranks_per_node == 0) {
        return false;
    }
    const Footprints before = std::exchange(of_stage_, footprints_of_stage());
    return is_first || of_stage_ != before;
}

// Groups within and across shards exist only if there are copies of shards.
CollectivePrices::Footprints CollectivePrices::footprints_of_stage() const {
    Footprints all{};
    const std::size_t groups = plan_->layout.shard_copies() > 1 ? stage_groups.size() : 2;
    for (std::size_t i = 0; i < groups; ++i) {
        all[i] = footprint_of(map_->group(stage_groups[i], stage_).whole(), plan_->machine.network.ranks_per_node);
    }
    return all;
}

Footprint CollectivePrices::members_of(RankGroup group) const {
    const auto* const found = std::find(stage_groups.begin(), stage_groups.end(), group);
    return found != stage_groups.end()
               ? of_stage_[static_cast<std::size_t>(found - stage_groups.begin())]
               : footprint_of(map_->group(group, 0).whole(), plan_->machine.network.ranks_per_node);
}

Duration CollectivePrices::of(const training::StepCollective& one) {
    const Footprint members = members_of(one.group);
    for (const Known& known : known_) {
        if (known.what == one && known.members == members) {
            return known.time;
        }
    }
    const Duration time = nccl_time(plan_->machine.network, one.kind, one.whole_bytes(), members);
    known_.push_back({one, members, time});
    return time;
}

TimedPiece CollectivePrices::timed(const training::Piece& piece) {
    using Kind = TimedPiece::Kind;
    switch (piece.kind) {
        case PieceKind::mark: return {};
        case PieceKind::compute: return {.time = piece.time};
        case PieceKind::wait: return {piece.bucket != nullptr ? Kind::gathered : Kind::streamed, {}, piece.bucket};
        case PieceKind::collect: break;
    }
    TimedPiece timed{.kind = Kind::collect, .bucket = piece.bucket};
    for (const training::StepCollective& one : piece.collectives) {
        timed.time += one.exists() ? piece.times * of(one) : Duration{0};
    }
    if (piece.order != PieceOrder::here) {
        timed.kind = piece.order == PieceOrder::ahead ? Kind::gather : Kind::stream;
    } else if (piece.collectives[0].group == RankGroup::ends) {
        timed.kind = Kind::at_the_ends;
    } else if (piece.collectives[0].group == RankGroup::everyone) {
        timed.kind = Kind::everywhere;
    }
    return timed;
}

TimedPieces CollectivePrices::timed(const training::Pieces& pieces) {
    TimedPieces all;
    all.reserve(pieces.size());
    for (const training::Piece& piece : pieces) {
        const TimedPiece one = timed(piece);
        // A piece of any other kind makes clocks wait for each other, even if it takes no time itself.
        const bool can_be_nothing = one.kind == TimedPiece::Kind::compute || one.kind == TimedPiece::Kind::collect ||
                                    one.kind == TimedPiece::Kind::stream;
        if (!can_be_nothing || one.time.count() > 0) {
            all.push_back(one);
        }
    }
    return all;
}

}  // namespace sim::predict
