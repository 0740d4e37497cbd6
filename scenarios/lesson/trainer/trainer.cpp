#include "scenarios/lesson/trainer/trainer.hpp"

#include "libsim/parallel/checkpointing.hpp"
#include "libsim/parallel/pipeline/pipeline.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "scenarios/lesson/trainer/chunk.hpp"
#include "scenarios/lesson/trainer/costs.hpp"
#include "scenarios/lesson/trainer/meter.hpp"
#include "scenarios/lesson/trainer/plan.hpp"
#include "scenarios/lesson/trainer/state.hpp"
#include "scenarios/lesson/transformer/batch.hpp"

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <span>

namespace sim::lesson {

namespace {

using lesson::Matrix;

std::vector<double> numbers_of(const Matrix& x) {
    return {x.data(), x.data() + x.size()};
}

std::vector<TrainingState> states_of(const ranks::Checkpoint& checkpoint) {
    std::vector<TrainingState> states;
    for (const std::vector<std::byte>& state : checkpoint.states) {
        states.push_back(state_of(state));
    }
    return states;
}

class Trainer {
public:
    Trainer(GPU& gpu, const scenarios::Options& options)
        : gpu_(&gpu), options_(&options), plan_(plan_of(options, gpu.rank())), costs_(options), meter_(gpu) {
        for (int chunk = 0; chunk < plan_.pipeline.chunks; ++chunk) {
            chunks_.emplace_back(gpu, options, plan_, costs_, meter_, chunk);
        }
        for (const sim::Share& share : plan_.micro_batches) {
            batches_.push_back(make_batch(options.shape, options.unsigned_seed(), share));
        }
    }

    // Steps are numbered from 0.
    void step(std::int64_t number) {
        if (is_pipeline()) {
            run_pipeline();
        } else {
            run_one_by_one();
        }
        const int items = options_->averages_models() ? own_items() : options_->items;
        for (StageChunk& chunk : chunks_) {
            chunk.update(items);
        }
        if (models_are_averaged_after(number)) {
            chunks_[0].average(static_cast<double>(own_items()) / options_->items);
        }
    }

    TrainingState state() const {
        TrainingState state;
        for (const StageChunk& chunk : chunks_) {
            chunk.add_state(state);
        }
        return state;
    }

    // Restores a checkpoint: this rank's own part of it or, if the rank now has another part of the model, the
    // combination of all ranks' parts.
    void restore(const ranks::Start& start) {
        TrainingState mine = state();
        const TrainingState before = state_of(start.state_of(gpu_->rank()));
        std::optional<WholeState> whole;
        for (std::size_t i = 0; i < mine.size(); ++i) {
            if (mine[i].places == before[i].places && mine[i].own == before[i].own) {
                mine[i] = before[i];
                continue;
            }
            if (!whole) {
                whole.emplace(states_of(*start.from));
            }
            whole->fill(mine[i]);
        }
        std::span<const PackState> left(mine);
        for (StageChunk& chunk : chunks_) {
            chunk.restore(left);
        }
        passes_done_ = static_cast<std::size_t>(start.first_step()) * passes_of_step();
    }

    void report() {
        std::vector<double> weights;
        std::vector<double> places;
        for (const StageChunk& chunk : chunks_) {
            const std::vector<double> here = chunk.weights();
            const std::vector<std::size_t> at = chunk.places();
            weights.insert(weights.end(), here.begin(), here.end());
            places.insert(places.end(), at.begin(), at.end());
        }
        gpu_->report("weights", weights);
        gpu_->report("places", places);
    }

private:
    void run_one_by_one() {
        const int count = static_cast<int>(plan_.micro_batches.size());
        for (int micro_batch = 0; micro_batch < count; ++micro_batch) {
            const Units activations = kept(micro_batch);
            label(micro_batch, "forward");
            gpu_->allocate("activations", activations);
            chunks_[0].forward(micro_batch, batch(micro_batch), {});
            if (!is_one_piece()) {
                label(micro_batch, "backward");
            }
            chunks_[0].backward(micro_batch, {});
            meter_.settle();
            pass_done();
            gpu_->release("activations", activations);
            if (is_added_up_after(micro_batch)) {
                chunks_[0].accumulate();
            }
        }
        // A rank with fewer items takes part with none.
        for (int micro_batch = count; micro_batch < plan_.most_micro_batches; ++micro_batch) {
            if (is_added_up_after(micro_batch)) {
                chunks_[0].accumulate();
            }
        }
    }

    void run_pipeline() {
        const PipelineBody body{
            .forward =
                [this](const PipelineStep& step, const std::vector<double>& input) {
                    label(step.micro_batch, "forward");
                    Matrix y = chunk(step).forward(step.micro_batch, batch(step.micro_batch), matrix_of(input));
                    meter_.settle();
                    pass_done();
                    return numbers_of(y);
                },
            .backward =
                [this](const PipelineStep& step, const std::vector<double>& gradient) {
                    const bool split = step.work == PipelineWork::backward_input;
                    label(step.micro_batch, split ? "backward (input)" : "backward");
                    Matrix dx = split ? chunk(step).backward_input(step.micro_batch, matrix_of(gradient))
                                      : chunk(step).backward(step.micro_batch, matrix_of(gradient));
                    meter_.settle();
                    pass_done();
                    return numbers_of(dx);
                },
            .backward_weight =
                [this](const PipelineStep& step) {
                    label(step.micro_batch, "backward (weights)");
                    chunk(step).backward_weight(step.micro_batch);
                    meter_.settle();
                }};
        const int items = plan_.micro_batches.front().count;
        const auto steps = options_->schedule->steps(plan_.pipeline, plan_.stage);
        sim::run_pipeline(
            *gpu_, plan_.along({"pp"}), plan_.pipeline, steps, body,
            {.boundary = costs_.boundary(items), .activations = kept(0), .blocking_sends = options_->blocking_sends});
    }

    // Reports progress to observers: the fraction of forward and backward passes that have run. At most a hundred
    // times.
    void pass_done() {
        const std::size_t all = static_cast<std::size_t>(options_->steps) * passes_of_step();
        ++passes_done_;
        if (passes_done_ * 100 / all != (passes_done_ - 1) * 100 / all) {
            gpu_->progress(static_cast<double>(passes_done_) / static_cast<double>(all));
        }
    }

    std::size_t passes_of_step() const {
        return is_pipeline() ? 2 * plan_.micro_batches_of_chunk() * chunks_.size() : batches_.size();
    }

    bool is_pipeline() const { return plan_.pipeline.stages * plan_.pipeline.chunks > 1; }

    // In addition to the end of a step, which update() handles.
    bool is_added_up_after(int micro_batch) const {
        return options_->accumulate > 0 && (micro_batch + 1) % options_->accumulate == 0 &&
               micro_batch + 1 < plan_.most_micro_batches;
    }

    // The last step leaves one model, too.
    bool models_are_averaged_after(std::int64_t step) const {
        return options_->averages_models() && ((step + 1) % options_->local_steps == 0 || step + 1 == options_->steps);
    }

    int own_items() const {
        int items = 0;
        for (const sim::Share& share : plan_.micro_batches) {
            items += share.count;
        }
        return items;
    }

    // Whether other ranks see nothing before an item is done.
    bool is_one_piece() const { return options_->item_by_item && !options_->works_in_layers(); }

    void label(int micro_batch, const char* pass) {
        if (is_one_piece()) {
            meter_.label(fmt::format("Process item {}", share(micro_batch).first), false);
        } else {
            meter_.label(fmt::format("{} of micro-batch {}", pass, micro_batch), true);
        }
    }

    const sim::Share& share(int micro_batch) const {
        return plan_.micro_batches[static_cast<std::size_t>(micro_batch)];
    }
    const TokenBatch& batch(int micro_batch) const { return batches_[static_cast<std::size_t>(micro_batch)]; }
    StageChunk& chunk(const PipelineStep& step) { return chunks_[static_cast<std::size_t>(step.chunk)]; }
    Units kept(int micro_batch) const {
        return costs_.kept(share(micro_batch).count, plan_.chunks.front().layer_count);
    }

    Matrix matrix_of(const std::vector<double>& numbers) const {
        const int columns = options_->shape.hidden;
        Matrix x(static_cast<Eigen::Index>(numbers.size()) / columns, columns);
        std::copy(numbers.begin(), numbers.end(), x.data());
        return x;
    }

    GPU* gpu_;
    const scenarios::Options* options_;
    RankPlan plan_;
    Costs costs_;
    Meter meter_;
    std::deque<StageChunk> chunks_;
    std::vector<TokenBatch> batches_;
    std::size_t passes_done_ = 0;
};

}  // namespace

void train(GPU& gpu, const scenarios::Options& options, const ranks::Start& start) {
    Trainer trainer(gpu, options);
    if (start.from) {
        trainer.restore(start);
    }
    for (std::int64_t step = start.first_step(); step < options.steps; ++step) {
        trainer.step(step);
        end_step(gpu, options.checkpoints, step + 1, options.steps, [&] { return bytes_of(trainer.state()); });
    }
    trainer.report();
}

}  // namespace sim::lesson
