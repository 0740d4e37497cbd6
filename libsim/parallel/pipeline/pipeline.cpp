#include "libsim/parallel/pipeline/pipeline.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

namespace sim::parallel {

namespace {

using Numbers = std::vector<double>;
struct SizeAlone {};  // travels instead of numbers if nothing is observed

// The hops of one stage: over the network, or within the GPU if it is the only stage.
template <class Data>
class Hops {
public:
    Hops(GPU& gpu, const Group& stages, const PipelineShape& shape, const PipelineOptions& options)
        : gpu_(gpu), stages_(stages), shape_(shape), options_(options) {}

    Data take(const PipelineHop& hop) {
        if (shape_.stages == 1) {
            return take_kept(hop);
        }
        const int from = stages_.rank_at(sender_of(shape_, hop));
        if constexpr (with_numbers) {
            return gpu_.receive<double>(from, label_of(hop), options_.boundary, tag_of(hop));
        } else {
            gpu_.receive(from, label_of(hop), options_.boundary, tag_of(hop));
            return {};
        }
    }

    void pass(const PipelineHop& hop, [[maybe_unused]] Data data) {
        if (shape_.stages == 1) {
            keep(hop, std::move(data));
            return;
        }
        const int to = stages_.rank_at(stage_of(shape_, hop));
        if (options_.in_order) {
            under_way_.clear();
        }
        if constexpr (with_numbers) {
            under_way_.push_back(gpu_.send_async(to, data, label_of(hop), options_.boundary, tag_of(hop)));
        } else {
            under_way_.push_back(gpu_.send_async(to, label_of(hop), options_.boundary, tag_of(hop)));
        }
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
    static constexpr bool with_numbers = std::is_same_v<Data, Numbers>;

    Data take_kept(const PipelineHop& hop) {
        if constexpr (with_numbers) {
            return std::move(kept_.extract(hop_number(shape_, hop)).mapped());
        } else {
            return {};
        }
    }
    void keep(const PipelineHop& hop, Data data) {
        if constexpr (with_numbers) {
            kept_.emplace(hop_number(shape_, hop), std::move(data));
        }
    }

    static std::string_view label_of(const PipelineHop& hop) { return label_of_hop(hop.backward); }
    Tag tag_of(const PipelineHop& hop) const {
        // In order, messages into a stage need no micro-batch in their tag: a channel is first in, first out.
        const auto number = options_.in_order ? 2 * hop.into + (hop.backward ? 1 : 0)
                                              : static_cast<std::int32_t>(hop_number(shape_, hop));
        return Tag{static_cast<std::int32_t>(options_.first_tag) + number};
    }

    GPU& gpu_;
    const Group& stages_;
    const PipelineShape& shape_;
    const PipelineOptions& options_;
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

bool is_within(const PipelineShape& shape, const PipelineStep& step) {
    return step.micro_batch >= 0 && step.micro_batch < shape.micro_batches && step.chunk >= 0 &&
           step.chunk < shape.chunks;
}
[[noreturn]] void throw_outside(const PipelineShape& shape, int stage, std::size_t number, const PipelineStep& step) {
    throw ProgramError(fmt::format(
        "stage {}, step {}: {} of micro-batch {}, chunk {}; there are {} micro-batches "
        "and {} chunks, from 0",
        stage, number, name_of(step.work), step.micro_batch, step.chunk, shape.micro_batches, shape.chunks));
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

Numbers execute(const PipelineStep& step, const PipelineBody& body, Numbers input) {
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

// `work` computes the output of a step from its input.
template <class Data, class Work>
void run(GPU& gpu, const Group& stages, const PipelineShape& shape, std::span<const PipelineStep> steps,
         const PipelineOptions& options, Work&& work) {
    require_a_place(gpu, stages, shape, options);
    const int stage = stages.index_of(gpu.rank());
    Hops<Data> hops(gpu, stages, shape, options);
    // One for each step of a pair: forward and backward.
    std::array<Data, 2> taken;
    std::array<Data, 2> made;
    for (std::size_t number = 0; number < steps.size(); ++number) {
        const PipelineStep& step = steps[number];
        if (!is_within(shape, step)) [[unlikely]] {
            throw_outside(shape, stage, number, step);
        }
        for (const std::optional<PipelineHop>& hop : taken_before(shape, stage, steps, number)) {
            if (hop) {
                taken[hop->backward ? 1 : 0] = hops.take(*hop);
            }
        }
        hold(gpu, step, options);
        const std::size_t way = step.work == PipelineWork::forward ? 0 : 1;
        made[way] = work(step, std::exchange(taken[way], Data{}));
        let_go(gpu, step, options);
        for (const std::optional<PipelineHop>& hop : sent_after(shape, stage, steps, number)) {
            if (hop) {
                hops.pass(*hop, std::move(made[hop->backward ? 1 : 0]));
            }
        }
    }
    hops.join();
}

}  // namespace

void run_pipeline(GPU& gpu, const Group& stages, const PipelineShape& shape, std::span<const PipelineStep> steps,
                  const PipelineBody& body, const PipelineOptions& options) {
    run<Numbers>(gpu, stages, shape, steps, options,
                 [&](const PipelineStep& step, Numbers input) { return execute(step, body, std::move(input)); });
}

void run_pipeline(GPU& gpu, const Group& stages, const PipelineShape& shape, std::span<const PipelineStep> steps,
                  const std::function<void(const PipelineStep&)>& compute, const PipelineOptions& options) {
    run<SizeAlone>(gpu, stages, shape, steps, options, [&](const PipelineStep& step, SizeAlone) {
        compute(step);
        return SizeAlone{};
    });
}

}  // namespace sim::parallel
