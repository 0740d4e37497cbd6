// A chunk is one piece of a rank's pipeline stage (without a pipeline, everything the rank has): its layers, forward
// and backward, in simulated time and in numbers.
#pragma once

#include "scenarios/lesson/trainer/costs.hpp"
#include "scenarios/lesson/trainer/meter.hpp"
#include "scenarios/lesson/trainer/plan.hpp"
#include "scenarios/lesson/trainer/replica.hpp"
#include "scenarios/lesson/transformer/stage.hpp"
#include "scenarios/lesson/transformer/surroundings.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace sim::lesson {

// The exchanges of a chunk with its parts on other ranks. Leaves work, begin_layer and end_layer empty. All arguments
// must outlive the result.
Surroundings exchanges_of(GPU& gpu, const RankPlan& plan, const Shape& shape, const Costs& costs, Meter& meter);

class StageChunk {
public:
    // Everything but `index` must outlive it.
    StageChunk(GPU& gpu, const scenarios::Options& options, const RankPlan& plan, const Costs& costs, Meter& meter,
               int index);
    StageChunk(const StageChunk&) = delete;
    StageChunk& operator=(const StageChunk&) = delete;

    // Rows of the residual stream in and out: see lesson::Stage.
    Matrix forward(int micro_batch, const TokenBatch& batch, Matrix x);
    Matrix backward(int micro_batch, Matrix dy);
    Matrix backward_input(int micro_batch, Matrix dy);
    void backward_weight(int micro_batch);

    void accumulate();
    void update(int items);
    void average(double share);

    // Appends the state to keep between steps, pack by pack.
    void add_state(TrainingState& state) const;
    // Restores the state from the next packs.
    void restore(std::span<const PackState>& state);

    // The weights in this chunk, and the place of each in the whole model.
    std::vector<double> weights() const;
    std::vector<std::size_t> places() const;

private:
    Surroundings surroundings(const Costs& costs);
    Pack pack(bool experts, const Costs& costs) const;
    std::size_t index_of(int layer) const;
    int lowest_unit(std::size_t layer) const;
    void use(std::size_t layer, sim::Pass pass);
    void end_use();
    void layer_done(std::size_t layer);
    template <class F>
    void each_pack(F&& f) {
        f(*shared_);
        if (experts_) {
            f(*experts_);
        }
    }

    GPU* gpu_;
    const scenarios::Options* options_;
    const RankPlan* plan_;
    Meter* meter_;
    PartPlacement placement_;
    Stage stage_;
    std::vector<double> weights_;
    std::vector<double> gradient_;
    std::unique_ptr<Replica> shared_;   // shared with all replicas
    std::unique_ptr<Replica> experts_;  // shared with replicas that have the same experts
    int items_ = 0;                     // of the current micro-batch
    int layer_ = 0;                     // the current one
    std::optional<std::size_t> in_use_;
    std::vector<std::size_t> done_;  // by layer: micro-batches done in this step
};

}  // namespace sim::lesson
