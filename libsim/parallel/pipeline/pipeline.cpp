#include "libsim/parallel/pipeline/pipeline.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>
#include <limits>
#include <map>

namespace sim::parallel {

namespace {

using Data = std::vector<double>;

// The hops of one stage: over the network, or within the GPU where it is the only stage.
class Hops {
public:
    Hops(GPU& gpu, const Group& stages, const PipelineShape& shape, const PipelineOptions& options, bool with_data)
        : gpu_(gpu), stages_(stages), shape_(shape), options_(options), with_data_(with_data) {}

    Data take(const PipelineHop& hop) {
        if (shape_.stages == 1) {
            return with_data_ ? std::move(kept_.extract(hop_number(shape_, hop)).mapped()) : Data{};
        }
        const int from = stages_.rank_at((hop.backward ? hop.into + 1 : hop.into - 1) % shape_.stages);
        if (with_data_) {
            return gpu_.receive<double>(from, label_of(hop), options_.boundary, tag_of(hop));
        }
        gpu_.receive(from, label_of(hop), options_.boundary, tag_of(hop));
        return {};
    }

    void pass(const PipelineHop& hop, Data data) {
        if (shape_.stages == 1) {
            if (with_data_) {
                kept_.emplace(hop_number(shape_, hop), std::move(data));
            }
            return;
        }
        const int to = stages_.rank_at(stage_of(shape_, hop));
        if (options_.in_order) {
            under_way_.clear();
        }
        under_way_.push_back(with_data_ ? gpu_.send_async(to, data, label_of(hop), options_.boundary, tag_of(hop))
                                        : gpu_.send_async(to, label_of(hop), options_.boundary, tag_of(hop)));
        if (options_.blocking_sends) {
            join();
        }
    }

    void join() {
        for (const Handle& sending : under_way_) {
            gpu_.wait(sending);
        }
        under_way_.clear();
    }

private:
    static std::string_view label_of(const PipelineHop& hop) { return label_of_hop(hop.backward); }
    Tag tag_of(const PipelineHop& hop) const {
        const auto number = options_.in_order ? 2 * hop.into + (hop.backward ? 1 : 0)
                                              : static_cast<std::int32_t>(hop_number(shape_, hop));
        return Tag{static_cast<std::int32_t>(options_.first_tag) + number};
    }

    GPU& gpu_;
    const Group& stages_;
    const PipelineShape& shape_;
    const PipelineOptions& options_;
    bool with_data_;
    std::vector<Handle> under_way_;
    std::map<std::size_t, Data> kept_;
};

void require_a_place(const GPU& gpu, const Group& stages, const PipelineShape& shape, const PipelineOptions& options) {
    if (!stages.contains(gpu.rank())) {
        throw ProgramError(fmt::format("rank {} runs a pipeline of which it is not a stage", gpu.rank()));
    }
    if (stages.size() != shape.stages) {
        throw ProgramError(fmt::format("a pipeline of {} stages runs on {} ranks", shape.stages, stages.size()));
    }
    const auto first = static_cast<std::size_t>(static_cast<std::int32_t>(options.first_tag));
    if (hop_count(shape) > std::numeric_limits<std::int32_t>::max() - first) {
        throw ProgramError(
            fmt::format("a pipeline of {} stages, {} micro-batches and {} chunks has more messages than "
                        "there are tags from {}",
                        shape.stages, shape.micro_batches, shape.chunks, first));
    }
}

void require_within(const PipelineShape& shape, int stage, std::size_t number, const PipelineStep& step) {
    if (step.micro_batch < 0 || step.micro_batch >= shape.micro_batches || step.chunk < 0 ||
        step.chunk >= shape.chunks) {
        throw ProgramError(fmt::format(
            "stage {}, step {}: {} of micro-batch {}, chunk {}; there are {} micro-batches "
            "and {} chunks, from 0",
            stage, number, name_of(step.work), step.micro_batch, step.chunk, shape.micro_batches, shape.chunks));
    }
}

// Memory is held from the beginning of a forward pass to the end of its backward pass, or of backward_weight.
void hold(GPU& gpu, const PipelineStep& step, const PipelineOptions& options) {
    if (options.activations.amount > 0 && step.work == PipelineWork::forward) {
        gpu.allocate("activations", options.activations);
    }
}
void let_go(GPU& gpu, const PipelineStep& step, const PipelineOptions& options) {
    const bool ends = step.work == PipelineWork::backward || step.work == PipelineWork::backward_weight;
    if (options.activations.amount > 0 && ends) {
        gpu.release("activations", options.activations);
    }
}

Data carry_out(const PipelineStep& step, const PipelineBody& body, Data input) {
    switch (step.work) {
        case PipelineWork::forward: return body.forward(step, std::move(input));
        case PipelineWork::backward:
        case PipelineWork::backward_input: return body.backward(step, std::move(input));
        case PipelineWork::backward_weight:
            if (!body.backward_weight) {
                throw ProgramError("a step is the gradient of the weights alone, and the program has none");
            }
            body.backward_weight(step);
            break;
    }
    return {};
}

// `work` makes the output of a step out of its input.
template <class Work>
void run(GPU& gpu, const PipelineShape& shape, int stage, std::span<const PipelineStep> steps,
         const PipelineOptions& options, Hops hops, Work&& work) {
    for (std::size_t number = 0; number < steps.size(); ++number) {
        const PipelineStep& step = steps[number];
        require_within(shape, stage, number, step);
        const std::optional<PipelineHop> input = input_of(shape, stage, step);
        const std::optional<PipelineHop> output = output_of(shape, stage, step);
        Data taken = input ? hops.take(*input) : Data{};
        hold(gpu, step, options);
        Data made = work(step, std::move(taken));
        let_go(gpu, step, options);
        if (output) {
            hops.pass(*output, std::move(made));
        }
    }
    hops.join();
}

}  // namespace

void run_pipeline(GPU& gpu, const Group& stages, const PipelineShape& shape, std::span<const PipelineStep> steps,
                  const PipelineBody& body, const PipelineOptions& options) {
    require_a_place(gpu, stages, shape, options);
    run(gpu, shape, stages.index_of(gpu.rank()), steps, options, {gpu, stages, shape, options, true},
        [&](const PipelineStep& step, Data input) { return carry_out(step, body, std::move(input)); });
}

void run_pipeline(GPU& gpu, const Group& stages, const PipelineShape& shape, std::span<const PipelineStep> steps,
                  const std::function<void(const PipelineStep&)>& compute, const PipelineOptions& options) {
    require_a_place(gpu, stages, shape, options);
    run(gpu, shape, stages.index_of(gpu.rank()), steps, options, {gpu, stages, shape, options, false},
        [&](const PipelineStep& step, Data) {
            compute(step);
            return Data{};
        });
}

}  // namespace sim::parallel
