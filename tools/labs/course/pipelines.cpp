#include "tools/labs/course/pipelines.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace sim::labs {

namespace {

using parallel::PipelineShape;
using parallel::PipelineStep;
using parallel::PipelineWork;
using Activations = std::vector<double>;

// Runs one stage's steps, as the learner's file does.
class StageOfLab {
public:
    StageOfLab(GPU& gpu, const Given& given, const PipelineHabits& habits)
        : gpu_(gpu),
          numbers_(given, gpu.world_size()),
          habits_(habits),
          gradients_(static_cast<std::size_t>(numbers_.shape.chunks)) {}

    void run() {
        bool is_backward = false;
        for (const PipelineStep& step : habits_.order(numbers_.shape, gpu_.rank())) {
            if (step.work == PipelineWork::backward && !std::exchange(is_backward, true)) {
                send_what_is_held();
                if (habits_.barrier_between) {
                    gpu_.barrier();
                }
            }
            step.work == PipelineWork::forward ? forward(step) : backward(step);
        }
        send_what_is_held();
        for (const Handle& sending : sendings_) {
            gpu_.wait(sending);
        }
        for (double& gradient : gradients_) {
            gradient *= habits_.scale;
        }
        gpu_.report("gradient", gradients_);
    }

private:
    struct Held {
        int to;
        Activations numbers;
        const char* label;
        Tag tag;
    };
    using Key = std::pair<int, int>;  // micro-batch, chunk

    static Key key_of(const PipelineStep& step) { return {step.micro_batch, step.chunk}; }
    int virtual_stage(const PipelineStep& step) const { return step.chunk * numbers_.shape.stages + gpu_.rank(); }
    bool is_last(const PipelineStep& step) const {
        return virtual_stage(step) == numbers_.shape.stages * numbers_.shape.chunks - 1;
    }
    int rank_of(int virtual_stage) const { return virtual_stage % numbers_.shape.stages; }
    // With one chunk, messages arrive in the order in which they are sent.
    Tag tag(const PipelineStep& step, int into) const {
        const PipelineShape& shape = numbers_.shape;
        const int place = step.micro_batch * shape.chunks * shape.stages + into;
        return shape.chunks == 1 ? Tag{} : Tag{2 * place + (step.work == PipelineWork::forward ? 0 : 1)};
    }

    void forward(const PipelineStep& step) {
        const int here = virtual_stage(step);
        const Activations x = here == 0 ? batch(step.micro_batch)
                                        : gpu_.receive<double>(rank_of(here - 1), "activation", {}, tag(step, here));
        gpu_.allocate("activations", Bytes{numbers_.activation_bytes / numbers_.shape.chunks});
        compute_pass("forward", step, 1);
        kept_[key_of(step)] = x;
        Activations y = scaled(x, numbers_.weight(here));
        if (is_last(step)) {
            outputs_[key_of(step)] = std::move(y);
        } else {
            pass(rank_of(here + 1), std::move(y), "activation", tag(step, here + 1));
        }
    }

    void backward(const PipelineStep& step) {
        const int here = virtual_stage(step);
        if (numbers_.shape.chunks == 1 && !kept_.contains(key_of(step))) {
            throw ProgramError(fmt::format("backward of micro-batch {} before its forward", step.micro_batch));
        }
        if (is_last(step) && !outputs_.contains(key_of(step))) {
            gpu_.receive<double>(rank_of(here - 1), "loss", {}, tag(step, here));  // never sent
        }
        const Activations gradient = is_last(step)
                                         ? outputs_.at(key_of(step))
                                         : gpu_.receive<double>(rank_of(here + 1), "gradient", {}, tag(step, here));
        if (habits_.recomputes) {
            compute_pass("forward", step, 1);
        }
        compute_pass("backward", step, 2);
        if (habits_.releases) {
            gpu_.release("activations", Bytes{numbers_.activation_bytes / numbers_.shape.chunks});
        }
        add(step, gradient);
        if (here > 0) {
            pass(rank_of(here - 1), scaled(gradient, numbers_.weight(here)), "gradient", tag(step, here - 1));
        }
    }

    void add(const PipelineStep& step, const Activations& gradient) {
        const Activations& x = kept_.at(habits_.keeps_first ? Key{0, step.chunk} : key_of(step));
        double& sum = gradients_[static_cast<std::size_t>(step.chunk)];
        if (habits_.last_alone) {
            sum = 0;
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            sum += gradient[i] * x[i];
        }
    }

    Activations batch(int micro_batch) const {
        Activations x(static_cast<std::size_t>(numbers_.elements));
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = numbers_.first + micro_batch + static_cast<double>(i % 2);
        }
        return x;
    }

    static Activations scaled(Activations x, double factor) {
        for (double& number : x) {
            number *= factor;
        }
        return x;
    }

    void compute_pass(const char* name, const PipelineStep& step, int times) {
        gpu_.compute(fmt::format("{} {}", name, step.micro_batch),
                     Flops{times * numbers_.forward_flops / numbers_.shape.chunks});
    }

    void pass(int to, Activations numbers, const char* label, Tag tag) {
        if (habits_.sends_late) {
            held_.push_back({to, std::move(numbers), label, tag});
        } else if (habits_.sends_wait) {
            gpu_.send(to, numbers, label, {}, tag);
        } else {
            sendings_.push_back(gpu_.send_async(to, numbers, label, {}, tag));
        }
    }

    void send_what_is_held() {
        for (const Held& each : held_) {
            sendings_.push_back(gpu_.send_async(each.to, each.numbers, each.label, {}, each.tag));
        }
        held_.clear();
    }

    GPU& gpu_;
    PipelineNumbers numbers_;
    const PipelineHabits& habits_;
    std::map<Key, Activations> kept_;
    std::map<Key, Activations> outputs_;
    std::vector<double> gradients_;
    std::vector<Handle> sendings_;
    std::vector<Held> held_;
};

// The sum of a micro-batch's squared inputs.
double squares_of(const PipelineNumbers& numbers, int micro_batch) {
    double squares = 0;
    for (std::int64_t k = 0; k < numbers.elements; ++k) {
        const double x = numbers.first + micro_batch + static_cast<double>(k % 2);
        squares += x * x;
    }
    return squares;
}

// The gradient of each of a stage's chunks for inputs with this sum of squares.
std::vector<double> gradient_for(const PipelineNumbers& numbers, int stage, double squares) {
    const int p = numbers.shape.stages;
    double product = 1;
    for (int place = 0; place < p * numbers.shape.chunks; ++place) {
        product *= numbers.weight(place);
    }
    std::vector<double> gradient;
    for (int chunk = 0; chunk < numbers.shape.chunks; ++chunk) {
        gradient.push_back(squares * product * product / numbers.weight(chunk * p + stage));
    }
    return gradient;
}

// By stage: the sum over micro-batches of gradient x input, with the weights multiplied out.
std::map<int, std::vector<double>> right_gradients(const PipelineNumbers& numbers) {
    double squares = 0;
    for (int i = 0; i < numbers.shape.micro_batches; ++i) {
        squares += squares_of(numbers, i);
    }
    std::map<int, std::vector<double>> gradients;
    for (int rank = 0; rank < numbers.shape.stages; ++rank) {
        gradients[rank] = gradient_for(numbers, rank, squares);
    }
    return gradients;
}

}  // namespace

PipelineNumbers::PipelineNumbers(const Given& given, int stages)
    : shape{.stages = stages,
            .micro_batches = static_cast<int>(given.whole("micro_batches")),
            .chunks = given.numbers().contains("chunks") ? static_cast<int>(given.whole("chunks")) : 1},
      elements(given.whole("elements")),
      forward_flops(given.whole("forward_flops")),
      activation_bytes(given.whole("activation_bytes")),
      first(given["first"]),
      costs(UniformCosts::of(given)) {}

PipelineNumbers::PipelineNumbers(const Case& played) : PipelineNumbers(played.given, played.ranks) {}

Case PipelineNumbers::as_case() const {
    std::map<std::string, double> given{{"micro_batches", shape.micro_batches},
                                        {"elements", static_cast<double>(elements)},
                                        {"forward_flops", static_cast<double>(forward_flops)},
                                        {"activation_bytes", static_cast<double>(activation_bytes)},
                                        {"first", first},
                                        {"latency_seconds", costs.latency_seconds},
                                        {"bytes_per_second", costs.bytes_per_second},
                                        {"flops_per_second", costs.flops_per_second}};
    if (shape.chunks > 1) {
        given["chunks"] = shape.chunks;
    }
    return {.ranks = shape.stages, .costs = costs.entries(), .given = Given(given)};
}

Duration PipelineNumbers::gpipe() const {
    return (shape.micro_batches + shape.stages - 1) * passes() + 2 * (shape.stages - 1) * hop();
}

std::vector<Case> pipeline_cases(Draw& draw, const std::vector<PipelineShape>& shapes) {
    PipelineNumbers numbers;
    numbers.forward_flops = static_cast<std::int64_t>(draw.of({60e6, 90e6, 120e6, 180e6}));
    numbers.elements = static_cast<std::int64_t>(draw.of({500, 1000, 1500}));
    numbers.activation_bytes = static_cast<std::int64_t>(draw.of({6e6, 12e6, 24e6, 36e6}));
    numbers.first = draw.of({1, 2, 3, 5});
    numbers.costs.latency_seconds = draw.of({1e-6, 2e-6, 4e-6});
    numbers.costs.bytes_per_second = draw.of({1e9, 2e9, 4e9});
    std::vector<Case> cases;
    for (const PipelineShape& shape : shapes) {
        numbers.shape = shape;
        cases.push_back(numbers.as_case());
        numbers.elements /= 2;
        numbers.forward_flops += 6'000'000;
        numbers.first += 1;
    }
    return cases;
}

lab::Program pipelined(PipelineHabits habits) {
    return [habits = std::move(habits)](GPU& gpu, const Given& given) { StageOfLab(gpu, given, habits).run(); };
}

std::vector<Check> grade_pipeline(const Case& played, const Record& found, const Record& reference,
                                  const PipelineOracle& oracle) {
    const PipelineNumbers numbers(played);
    const auto [stages, micro_batches, chunks, both_ways] = numbers.shape;
    const auto bytes_of = [&, stages = stages, m = micro_batches, v = chunks](int stage) {
        const int hops = 2 * v - (stage == 0 ? 1 : 0) - (stage == stages - 1 ? 1 : 0);
        return std::int64_t{m} * hops * 8 * numbers.elements;
    };
    return {reports_are(found, "gradient", right_gradients(numbers),
                        "a stage adds up gradient x input over all micro-batches"),
            time_is(found, oracle.time, oracle.why_time),
            bytes_sent_are(found, bytes_of,
                           chunks == 1 ? "every boundary is crossed once forward and once backward by each micro-batch"
                                       : "every boundary between chunks is crossed twice by each micro-batch: v times "
                                         "as often as between whole stages"),
            peak_bytes_are(found, oracle.peak_bytes, oracle.why_memory), same_work(found, reference, oracle.why_order)};
}

std::vector<Summands> summands_of_pipeline(const Case& played, int stage) {
    const PipelineNumbers numbers(played);
    Summands of{
        .report = "gradient", .kind = "gradients", .owner = "micro-batch", .of = {}, .pieces = numbers.shape.chunks};
    for (int i = 0; i < numbers.shape.micro_batches; ++i) {
        of.of.push_back(gradient_for(numbers, stage, squares_of(numbers, i)));
    }
    return {of};
}

double idle_percent(const Record& record) {
    const double all = seconds(record.end()) * record.timeline.ranks;
    double busy = 0;
    for (const RankTotals& totals : record.timeline.totals) {
        busy += seconds(totals.compute);
    }
    return 100 * (1 - busy / all);
}

}  // namespace sim::labs
