#include "libsim/predict/folded/folded_step.hpp"

#include "libsim/check.hpp"
#include "libsim/predict/folded/repeated_rounds.hpp"
#include "libsim/predict/folded/stage_clock.hpp"
#include "libsim/predict/folded/timed_pieces.hpp"
#include "libsim/training/step/training_step.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace sim::predict {

namespace {

using training::RankMap;
using training::StepPlan;

// The messages into one virtual stage, forward or backward, in the order of sending and receiving.
struct MessageQueue {
    std::size_t reader = 0;  // stage
    Duration price{0};       // of each
    std::size_t first = 0;
    std::vector<Time> all = {};  // arrival times

    bool empty() const { return first == all.size(); }
    Time take() { return all[first++]; }
};

// Pieces by kind of pass; like kinds of passes share one list.
struct TimedChunk {
    std::array<TimedPieces, training::pass_kinds> lists;
    std::array<std::uint8_t, training::pass_kinds> list_of = {};

    const TimedPieces& of(training::PassKind kind) const { return lists[list_of[static_cast<std::size_t>(kind)]]; }
};

struct TimedStage {
    TimedPieces before;
    std::vector<TimedChunk> chunks;
    TimedPieces after;
};

TimedStage timed(const training::StageStep& step, CollectivePrices& prices) {
    TimedStage stage{.before = prices.timed(step.before), .chunks = {}, .after = prices.timed(step.after)};
    stage.chunks.reserve(step.chunks.size());
    for (const training::ChunkPasses& chunk : step.chunks) {
        TimedChunk& timed = stage.chunks.emplace_back();
        for (std::size_t kind = 0; kind < training::pass_kinds; ++kind) {
            timed.list_of[kind] = static_cast<std::uint8_t>(chunk.listed(static_cast<training::PassKind>(kind)));
            if (timed.list_of[kind] == kind && chunk.kinds[kind]) {
                timed.lists[kind] = prices.timed(*chunk.kinds[kind]);
            }
        }
    }
    return stage;
}

// All times at a cut, relative to the first stage's.
struct Cut {
    std::size_t round = 0;
    Time at = {};
    std::vector<std::int64_t> state = {};
};

// A larger state means that some stages run ahead of others: messages accumulate, and no cut equals an earlier one.
constexpr std::size_t most_of_a_state = 24;  // per stage and chunk

class StepRun {
public:
    StepRun(const StepPlan& plan, const std::optional<SlowStage>& slow)
        : plan_(plan), map_(plan.layout, true), stages_(plan.stages.size()), turns_(plan.stages.size()) {
        time_pieces();
        make_queues();
        for (std::size_t stage = 0; stage < turns_.size(); ++stage) {
            list_turns(static_cast<int>(stage));
        }
        next_.resize(turns_.size());
        until_.resize(turns_.size());
        waits_for_.resize(turns_.size());
        const double beside = step_cluster(plan, map_).compute.overlap_slowdown;
        clocks_.assign(turns_.size(), StageClock(slowed({1, 1}, beside)));
        if (slow) {
            clocks_[static_cast<std::size_t>(slow->stage)] =
                StageClock(slowed({1, 1}, beside), slowed({1, 1}, slow->factor));
        }
    }

    FoldedStep run(Rounds rounds) {
        FoldedStep result;
        Time begin;  // start of the last step, on the stage that starts last
        for (int step = 0; step < plan_.steps; ++step) {
            begin = {};
            for (std::size_t stage = 0; stage < clocks_.size(); ++stage) {
                begin = std::max(begin, clocks_[stage].now());
                clocks_[stage].execute(timed_of(stage).before);
            }
            result.passes_known += carry_out_passes(rounds);
            carry_out_after();
        }
        Time end;
        for (std::size_t stage = 0; stage < clocks_.size(); ++stage) {
            end = std::max(end, clocks_[stage].end());
            result.passes += plan_.steps * static_cast<std::int64_t>(turns_[stage].size());
        }
        result.time = end - begin;
        return result;
    }

private:
    const TimedStage& timed_of(std::size_t stage) const { return stages_[same_as_[stage]]; }

    // Like stages share their pieces if their groups are in the same places.
    void time_pieces() {
        CollectivePrices prices(plan_, map_);
        for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
            const bool new_prices = prices.move_to(static_cast<int>(stage));
            const bool is_like_the_one_before =
                stage > 0 && plan_.stages[stage].first_alike == plan_.stages[stage - 1].first_alike;
            if (is_like_the_one_before && !new_prices) {
                same_as_.push_back(same_as_.back());
            } else {
                same_as_.push_back(stage);
                stages_[stage] = timed(stage_step(plan_, static_cast<int>(stage)), prices);
            }
        }
    }

    // Messages into virtual stage v: queue 2 v for forward, 2 v + 1 for backward.
    void make_queues() {
        const int stages = plan_.shape.stages;
        const int all = stages * plan_.shape.chunks;
        queues_.resize(stages > 1 ? 2 * static_cast<std::size_t>(all) : 0);
        const NodeMap nodes(plan_.machine.network.ranks_per_node, map_.real_ranks());
        std::array<std::optional<Duration>, 2> prices;  // by hop
        for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
            const PipelineHop message{.backward = queue % 2 == 1, .into = static_cast<int>(queue / 2)};
            const int from = message.backward ? message.into + 1 : message.into - 1;
            const bool turns_around = plan_.shape.both_ways && from / stages != message.into / stages;
            if (from < 0 || from == all || turns_around) {
                continue;
            }
            const int reader = stage_of(plan_.shape, message);
            const Hop hop = nodes.hop(sender_of(plan_.shape, message), reader);
            std::optional<Duration>& price = prices[static_cast<std::size_t>(hop)];
            if (!price) {
                price = plan_.machine.network.message_time(Bytes{plan_.boundary_bytes}, hop);
            }
            queues_[queue] = {.reader = static_cast<std::size_t>(reader), .price = *price};
        }
    }

    std::array<std::int32_t, 2> queues_of(const PipelineHops& hops) const {
        std::array<std::int32_t, 2> queues = no_queues;
        std::size_t count = 0;
        for (const std::optional<PipelineHop>& hop : hops) {
            if (hop && !queues_.empty()) {
                queues[count++] = 2 * hop->into + (hop->backward ? 1 : 0);
            }
        }
        return queues;
    }

    // A stage has few sorts of turns, by chunk and kind of pass.
    void list_turns(int stage) {
        const TimedStage& timed = timed_of(static_cast<std::size_t>(stage));
        std::vector<Turn>& turns = turns_[static_cast<std::size_t>(stage)];
        const std::vector<PipelineStep> steps = plan_.layout.parallelism.schedule->steps(plan_.shape, stage);
        const training::MicroBatches micro_batches = micro_batches_of(plan_);
        sorts_.assign(training::pass_kinds * timed.chunks.size(), {});
        turns.reserve(steps.size());
        for (std::size_t number = 0; number < steps.size(); ++number) {
            const PipelineStep& step = steps[number];
            const training::PassKind kind = training::kind_of(step, micro_batches);
            const auto chunk = static_cast<std::size_t>(step.chunk);
            Turn& sort = sorts_[chunk * training::pass_kinds + static_cast<std::size_t>(kind)];
            if (sort.pieces == nullptr || step.pair != InPair::alone) {  // the other half of a pair may differ
                sort = {.pieces = &timed.chunks[chunk].of(kind),
                        .takes = queues_of(taken_before(plan_.shape, stage, steps, number)),
                        .makes = queues_of(sent_after(plan_.shape, stage, steps, number))};
            }
            turns.push_back(sort);
        }
    }

    // Returns the number of passes that were skipped by repetition.
    std::int64_t carry_out_passes(Rounds rounds) {
        std::fill(next_.begin(), next_.end(), 0);
        std::int64_t known = 0;
        if (rounds == Rounds::repeat) {
            known = repeat(repeated_rounds(plan_.shape, turns_));
        }
        for (std::size_t stage = 0; stage < turns_.size(); ++stage) {
            until_[stage] = turns_[stage].size();
        }
        go_on();
        for (std::size_t stage = 0; stage < turns_.size(); ++stage) {
            check(next_[stage] == turns_[stage].size(), "stage {} waits for ever in turn {}", stage, next_[stage]);
            clocks_[stage].wait_for_sends();
        }
        return known;
    }

    // Advances all stages until they reach their stop or wait for a message from a stopped stage.
    void go_on() {
        awake_.resize(turns_.size());
        std::iota(awake_.rbegin(), awake_.rend(), std::size_t{0});
        std::fill(waits_for_.begin(), waits_for_.end(), -1);
        while (!awake_.empty()) {
            const std::size_t stage = awake_.back();
            awake_.pop_back();
            waits_for_[stage] = -1;
            while (next_[stage] < until_[stage] && execute(stage, turns_[stage][next_[stage]])) {
                ++next_[stage];
            }
        }
    }

    // Returns false if the stage waits for a message.
    bool execute(std::size_t stage, const Turn& turn) {
        StageClock& clock = clocks_[stage];
        // Both messages of a pair must be there before one is taken: a turn that fails half-way could not be tried
        // again.
        for (const std::int32_t queue : turn.takes) {
            if (queue >= 0 && queues_[static_cast<std::size_t>(queue)].empty()) {
                waits_for_[stage] = queue;
                return false;
            }
        }
        for (const std::int32_t queue : turn.takes) {
            if (queue >= 0) {
                clock.wait_until(queues_[static_cast<std::size_t>(queue)].take());
            }
        }
        clock.execute(*turn.pieces);
        for (const std::int32_t queue : turn.makes) {
            if (queue < 0) {
                break;
            }
            MessageQueue& to = queues_[static_cast<std::size_t>(queue)];
            to.all.push_back(clock.send(to.price));
            if (!plan_.layout.framework.overlap_pipeline) {
                clock.wait_for_sends();
            }
            if (waits_for_[to.reader] == queue) {
                awake_.push_back(to.reader);
            }
        }
        return true;
    }

    // Runs rounds until a cut equals an earlier one, and skips the repetitions. The cut that later ones are compared
    // with moves forward whenever the number of rounds has doubled, so a repetition of any length is found.
    std::int64_t repeat(const RepeatedRounds& rounds) {
        const auto chunks = static_cast<std::size_t>(plan_.shape.chunks);
        Cut earlier;
        Cut here;
        for (std::size_t round = 0; round < rounds.count; ++round) {
            for (std::size_t stage = 0; stage < turns_.size(); ++stage) {
                until_[stage] = rounds.first[stage] + round * rounds.length;
            }
            go_on();
            const bool is_whole = look(here, round);
            if (next_ != until_ || here.state.size() > most_of_a_state * turns_.size() * chunks) {
                return 0;
            }
            if (is_whole && here.state == earlier.state) {
                return skip(rounds, earlier, here);
            }
            if (is_whole && (earlier.state.empty() || round >= 2 * earlier.round)) {
                std::swap(earlier, here);
            }
        }
        return 0;
    }

    // Returns false if gathers are in progress, which a cut does not capture.
    bool look(Cut& cut, std::size_t round) const {
        bool is_whole = true;
        cut.round = round;
        cut.at = clocks_.front().now();
        cut.state.clear();
        for (const StageClock& clock : clocks_) {
            is_whole = clock.state(cut.at, cut.state) && is_whole;
        }
        for (const MessageQueue& queue : queues_) {
            cut.state.push_back(static_cast<std::int64_t>(queue.all.size() - queue.first));
            for (std::size_t number = queue.first; number < queue.all.size(); ++number) {
                // A message that came earlier has the same future as one that comes now, so both must look the same in
                // a cut.
                const Time there = std::max(queue.all[number], clocks_[queue.reader].now());
                cut.state.push_back((there - cut.at).count());
            }
        }
        return is_whole;
    }

    // Repeats the interval between the cuts as often as the remaining rounds allow.
    std::int64_t skip(const RepeatedRounds& rounds, const Cut& earlier, const Cut& here) {
        const std::size_t length = here.round - earlier.round;
        const std::size_t times = (rounds.count - here.round) / length;
        std::int64_t by = 0;
        if (__builtin_mul_overflow((here.at - earlier.at).count(), static_cast<std::int64_t>(times), &by)) {
            throw_time_overflow();
        }
        for (std::size_t stage = 0; stage < turns_.size(); ++stage) {
            clocks_[stage].move_on(Duration{by});
            next_[stage] += times * length * rounds.length;
        }
        for (MessageQueue& queue : queues_) {
            for (std::size_t number = queue.first; number < queue.all.size(); ++number) {
                queue.all[number] = later(queue.all[number], Duration{by});
            }
        }
        return static_cast<std::int64_t>(times * length * rounds.length * turns_.size());
    }

    // Stages meet here, first the two at the ends, then all.
    void carry_out_after() {
        after_.assign(clocks_.size(), 0);
        meet(TimedPiece::Kind::at_the_ends);
        meet(TimedPiece::Kind::everywhere);
        for (std::size_t stage = 0; stage < clocks_.size(); ++stage) {
            const TimedPieces& pieces = timed_of(stage).after;
            while (after_[stage] < pieces.size()) {
                clocks_[stage].execute(pieces[after_[stage]++]);
            }
        }
    }

    // Starts when the last of them arrives.
    void meet(TimedPiece::Kind kind) {
        Time last;
        for (std::size_t stage = 0; stage < clocks_.size(); ++stage) {
            const TimedPieces& pieces = timed_of(stage).after;
            while (has(stage, kind) && pieces[after_[stage]].kind != kind) {
                clocks_[stage].execute(pieces[after_[stage]++]);
            }
            last = has(stage, kind) ? std::max(last, clocks_[stage].now()) : last;
        }
        for (std::size_t stage = 0; stage < clocks_.size(); ++stage) {
            if (has(stage, kind)) {
                clocks_[stage].wait_until(last);
                clocks_[stage].execute(timed_of(stage).after[after_[stage]++]);
            }
        }
    }

    bool has(std::size_t stage, TimedPiece::Kind kind) const {
        const TimedPieces& after = timed_of(stage).after;
        return std::any_of(after.begin(), after.end(), [&](const TimedPiece& piece) { return piece.kind == kind; });
    }

    const StepPlan& plan_;
    RankMap map_;
    std::vector<TimedStage> stages_;    // of stages that share pieces, only the first one's
    std::vector<std::size_t> same_as_;  // by stage
    std::vector<MessageQueue> queues_;
    std::vector<Turn> sorts_;               // of the stage whose turns are being listed
    std::vector<std::vector<Turn>> turns_;  // by stage
    std::vector<StageClock> clocks_;
    std::vector<std::size_t> next_;        // turn of each stage
    std::vector<std::size_t> until_;       // where it stops
    std::vector<std::int32_t> waits_for_;  // queue; -1: none
    std::vector<std::size_t> awake_;
    std::vector<std::size_t> after_;  // index of each stage's next piece after its passes
};

}  // namespace

bool pairs_end_together(const StepPlan& plan) {
    if (!plan.shape.both_ways) {
        return true;
    }
    const RankMap map(plan.layout, true);
    const NodeMap nodes(plan.machine.network.ranks_per_node, map.real_ranks());
    const int last = plan.shape.stages - 1;
    for (int stage = 0; stage < last; ++stage) {
        if (nodes.hop(stage, stage + 1) != nodes.hop(last - stage, last - stage - 1)) {
            return false;
        }
    }
    return true;
}

FoldedStep folded_step(const StepPlan& plan, Rounds rounds, const std::optional<SlowStage>& slow) {
    return StepRun(plan, slow).run(rounds);
}

}  // namespace sim::predict
