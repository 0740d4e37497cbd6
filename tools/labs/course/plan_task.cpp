#include "tools/labs/course/plan_task.hpp"

#include "libsim/predict/training_options.hpp"
#include "libsim/training/check_layout.hpp"
#include "libsim/training/parameters.hpp"
#include "tools/labs/costs.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>

namespace sim::labs {

namespace {

constexpr int gpus_of_task = 64;

predict::TrainingOptions options_of(int llama, bool h100, int global_batch) {
    predict::TrainingOptions options{.model = llama == 2 ? "llama2-70b" : "llama3-70b",
                                     .machine = h100 ? "dgx-h100" : "dgx-a100",
                                     .gpus = gpus_of_task};
    options.layout.batch.global = global_batch;
    options.given = {"gpus", "global-batch"};
    return options;
}

search::PlanQuestion asked(const predict::TrainingOptions& options) {
    std::vector<std::string> notes;
    search::PlanQuestion question{.model = predict::model_of(options, notes),
                                  .machine = predict::priced_machine_of(options).machine};
    question.space.gpus = {gpus_of_task};
    question.space.recompute = {training::Recompute::none, training::Recompute::full};  // the task's choices
    question.space.rest = predict::layout_of(options, question.model, question.machine, notes);
    return question;
}

// The number that rank 0 reported under this name.
std::optional<int> reported(const Record& found, const char* name) {
    const auto by_rank = found.reports.find(name);
    if (by_rank == found.reports.end() || !by_rank->second.contains(0) || by_rank->second.at(0).size() != 1) {
        return std::nullopt;
    }
    const double number = by_rank->second.at(0).front();
    constexpr double most = 1e6;
    return number == std::floor(number) && number >= 0 && number <= most ? std::optional(static_cast<int>(number))
                                                                         : std::nullopt;
}

constexpr std::array names{"tp", "cp", "pp", "interleave", "micro_batch", "zero", "recompute"};

}  // namespace

void report_layout(GPU& gpu, const ReportedLayout& layout) {
    const std::array values{layout.tp,          layout.cp,   layout.pp,       layout.interleave,
                            layout.micro_batch, layout.zero, layout.recompute};
    for (std::size_t i = 0; i < names.size(); ++i) {
        gpu.report(names[i], values[i]);
    }
}

Case plan_case(int llama, bool h100, int global_batch) {
    const search::PlanQuestion question = asked(options_of(llama, h100, global_batch));
    const training::Transformer& model = question.model;
    return {.ranks = 1,
            .costs = UniformCosts{}.entries(),
            .given = Given({{"gpus", gpus_of_task},
                            {"gpus_per_node", question.machine.gpus_per_node},
                            {"memory_bytes", static_cast<double>(question.machine.gpu.memory_bytes)},
                            {"h100", h100 ? 1 : 0},
                            {"llama", llama},
                            {"parameters", static_cast<double>(training::parameters_of(model).total())},
                            {"layers", model.layers},
                            {"hidden", model.hidden},
                            {"heads", model.heads},
                            {"kv_heads", model.kv_heads},
                            {"sequence", model.sequence},
                            {"global_batch", global_batch}})};
}

search::PlanQuestion question_of(const Case& played) {
    return asked(options_of(static_cast<int>(played.given.whole("llama")), played.given["h100"] == 1,
                            static_cast<int>(played.given.whole("global_batch"))));
}

JudgedLayout judged(const Case& played, const Record& found) {
    std::array<int, names.size()> numbers{};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::optional<int> number = reported(found, names[i]);
        if (!number) {
            return {.problem = fmt::format("{} is no whole number of 0 or more", names[i])};
        }
        numbers[i] = *number;
    }
    const auto [tp, cp, pp, interleave, micro_batch, zero, recompute] = numbers;
    const int one = tp * cp * pp;
    if (one == 0 || one > gpus_of_task || gpus_of_task % one != 0) {
        return {.problem = fmt::format("tp {} x cp {} x pp {} does not divide {} GPUs", tp, cp, pp, gpus_of_task)};
    }
    if (zero > 3 || recompute > 1) {
        return {.problem = zero > 3 ? "zero is 0, 1, 2 or 3" : "recompute is 0 or 1"};
    }
    const search::PlanQuestion question = question_of(played);
    const training::Layout layout =
        search::layout_of(question.space, question.model,
                          {.gpus = gpus_of_task,
                           .dp = gpus_of_task / one,
                           .tp = tp,
                           .pp = pp,
                           .cp = cp,
                           .micro_batch = micro_batch,
                           .interleave = interleave,
                           .zero = zero,
                           .recompute = recompute == 1 ? training::Recompute::full : training::Recompute::none,
                           .schedule = static_cast<std::uint8_t>(interleave > 1 ? 1 : 0)});
    const auto problems = training::problems_of(question.model, question.machine, layout, gpus_of_task);
    if (!problems.empty()) {
        return {.problem = problems.front().what};
    }
    const predict::TrainingCase what = predict::case_of(question.model, question.machine, layout);
    const predict::Prediction step = predict::predict_step(what.model, what.machine, what.layout, {.details = false});
    return {.text = fmt::format("dp {} tp {} cp {} pp {}x{} micro-batch {} zero {}{}", gpus_of_task / one, tp, cp, pp,
                                interleave, micro_batch, zero, recompute == 1 ? " recompute full" : ""),
            .step = step.step,
            .memory = step.memory.fullest().peak.total(),
            .fits = step.memory.fits()};
}

Duration best_step(const Case& played) {
    // The result depends only on the question.
    static std::map<std::string, Duration> known;
    const std::string key = lab::to_json({played});
    if (!known.contains(key)) {
        const search::Plan plan = search::search_layouts(question_of(played), {.oracle = search::predictor()});
        known.emplace(key, plan.rows.front().step);
    }
    return known.at(key);
}

}  // namespace sim::labs
