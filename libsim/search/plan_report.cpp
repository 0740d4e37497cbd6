#include "libsim/search/plan_report.hpp"

#include "libsim/check.hpp"
#include "libsim/config/shell_command.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"
#include "libsim/search/launch_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace sim::search {

using namespace report;
using namespace predict;

namespace {

using report::Align;
using report::TextTable;

// "1,024"
std::string grouped(std::size_t n) {
    std::string text = fmt::format("{}", n);
    for (std::size_t at = text.size(); at > 3; at -= 3) {
        text.insert(text.begin() + static_cast<std::ptrdiff_t>(at) - 3, ',');
    }
    return text;
}

std::string short_layout(const PlanQuestion& question, const PlanPoint& p) {
    std::string text = fmt::format("dp {} tp {} pp {}", p.dp, p.tp, p.pp);
    text += p.interleave > 1 ? fmt::format("x{}", p.interleave) : "";
    text += p.cp > 1 ? fmt::format(" cp {}", p.cp) : "";
    text += question.model.experts.count > 0 ? fmt::format(" ep {}", p.ep) : "";
    text += p.expert_tp > 1 ? fmt::format(" expert-tp {}", p.expert_tp) : "";
    text += fmt::format(" micro-batch {} zero {}", p.micro_batch, p.zero);
    text += p.shard > 0 ? fmt::format(" shard {}", p.shard) : "";
    text += p.recompute == training::Recompute::none ? "" : " recompute " + recomputation_text(p);
    const NamedPipelineSchedule& schedule = *schedules_of(question.space)[p.schedule];
    text += schedule.usual ? "" : fmt::format(" {}", schedule.name);
    return text;
}

std::string cost_text(const PlanQuestion& question, double cost) {
    return question.machine.gpu.usd_per_hour > 0 ? money_text(cost) : fmt::format("{:.3g}", cost);
}

std::string slow_gpu_text(const PlanRow& row) {
    return row.robustness ? change_text(row.robustness->slow_gpu) : "";
}

std::string slow_links_text(const PlanRow& row) {
    return row.robustness && row.robustness->slow_links ? change_text(*row.robustness->slow_links) : "";
}

// Explains the two columns; empty if they are.
std::string robustness_text(const PlanReport& report) {
    const PlanRow& best = report.plan.rows.front();
    if (!best.robustness) {
        return "";
    }
    std::string text = fmt::format(
        "slow GPU: increase of the step with one GPU that computes {:.0f} % longer, on the stage where that "
        "costs most",
        100 * (slow_gpu_factor - 1));
    if (best.robustness->slow_links) {
        text += fmt::format("\nslow links: increase of the step with all links {} at {:.0f} % of their rate",
                            best.robustness->slow_links_between_nodes ? "between nodes" : "within the node",
                            100 * slow_links_factor);
    }
    return text + "\n";
}

std::string plan_table(const PlanReport& report) {
    const PlanQuestion& question = report.question;
    const Plan& plan = report.plan;
    const bool priced = question.machine.gpu.usd_per_hour > 0;
    TextTable table{.columns = {{"step"},
                                {"tokens/s"},
                                {"MFU"},
                                {"TFLOP/s"},
                                {"memory"},
                                {"free"},
                                {priced ? "$ a step" : "GPU-hours"},
                                {"slow GPU"},
                                {"slow links"},
                                {"layout", Align::left}}};
    for (const std::size_t i : listed_rows(plan, report.list, report.top)) {
        const PlanRow& row = plan.rows[i];
        const auto memory = static_cast<double>(row.memory);
        const auto capacity = static_cast<double>(question.machine.gpu.memory_bytes);
        const std::string gpus = question.space.gpus.size() > 1 ? fmt::format("{} GPUs: ", row.point.gpus) : "";
        table.rows.push_back(
            {{(row.may_be_fastest ? "~" : "") + time_text(seconds(row.step)), count_text(row.tokens_per_second),
              percent_text(row.mfu), teraflops_text(row.flops_per_second), bytes_text(memory),
              bytes_text(capacity - memory), cost_text(question, row.cost), slow_gpu_text(row), slow_links_text(row),
              gpus + short_layout(question, row.point)}});
    }
    if (report.list == PlanList::front && plan.pareto.size() > report.top) {
        table.rows.push_back(
            {{},
             fmt::format("… and {} more that no other one beats; --top shows them", plan.pareto.size() - report.top)});
    }
    return text_of(table);
}

// States how certain the steps are, and which layouts cannot be told apart.
std::string certainty_text(const PlanReport& report) {
    const std::vector<PlanRow>& rows = report.plan.rows;
    const auto may_be = [](const PlanRow& row) { return row.may_be_fastest; };
    const auto alike = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), may_be));
    const training::Uncertainty& uncertainty = report.question.machine.gpu.uncertainty;
    const StepRange range = rows.front().range;
    std::string text = fmt::format("\nThe first one's step is {} to {} in {:.0f} of 10 cases.\n",
                                   time_text(range.lowest), time_text(range.highest), 10 * training::range_share);
    if (alike > report.question.space.gpus.size()) {
        text += fmt::format(
            "{} of the {} simulated ones (~) may be the fastest: a difference below {:.0f} % does not tell two "
            "apart.\n",
            grouped(alike), grouped(rows.size()), 100 * (std::exp(uncertainty.order) - 1));
    }
    return text;
}

// The framework's name in launch_flags().
const char* launched_as(const training::Layout& layout) {
    switch (layout.framework.loop) {
        case training::TrainingLoop::megatron: return "Megatron-LM";
        case training::TrainingLoop::deepspeed: return "DeepSpeed";
        case training::TrainingLoop::torch: break;
    }
    return "torchtitan";
}

std::string flags_text(const PlanReport& report) {
    const PlanRow& best = report.plan.rows.front();
    const training::Layout layout = layout_of(report.question.space, report.question.model, best.point);
    std::string text;
    // The framework whose training loop and loss were predicted comes first.
    std::vector<LaunchFlags> all = launch_flags(report.question.model, layout);
    const auto is_predicted = [&](const LaunchFlags& flags) { return flags.framework == launched_as(layout); };
    std::stable_partition(all.begin(), all.end(), is_predicted);
    for (const LaunchFlags& flags : all) {
        text += fmt::format("\n{}, the first layout{}{}{}:\n", flags.framework,
                            is_predicted(flags) ? "" : fmt::format(", predicted as {} runs it", launched_as(layout)),
                            flags.lacks.empty() ? "" : "; it does not have: ", fmt::join(flags.lacks, "; "));
        for (const std::string& line : flags.lines) {
            text += fmt::format("  {}\n", line);
        }
    }
    return text;
}

// In the order of --by.
constexpr std::array ranking_keys{
    PlanKey{"time", PlanObjective::time, "The fastest layouts of all that fit, whether or not others are smaller"},
    PlanKey{"tokens", PlanObjective::time,
            "The layouts with the most tokens per second of all that fit, whether or not others are smaller"},
    PlanKey{"mfu", PlanObjective::cost,
            "The layouts with the highest MFU of all that fit, whether or not others are smaller"},
    PlanKey{"tflops", PlanObjective::cost,
            "The layouts with the most TFLOP/s per GPU of all that fit, whether or not others are smaller"},
    PlanKey{"cost", PlanObjective::cost, "The cheapest layouts of all that fit, whether or not others are smaller"},
    PlanKey{"memory", PlanObjective::memory, "The smallest layouts of all that fit, whether or not others are faster"}};

const char* first_ones(PlanObjective objective) {
    switch (objective) {
        case PlanObjective::cost: return "cheap";
        case PlanObjective::memory: return "small";
        case PlanObjective::time: break;
    }
    return "fast";
}

std::string heading(const PlanReport& report) {
    return report.list == PlanList::best
               ? fmt::format("{}:\n", plan_key(report.by).heading)
               : fmt::format("No other layout is faster, smaller and cheaper than one of these; {} ones first:\n",
                             first_ones(report.objective));
}

std::string command_text(const PlanReport& report) {
    constexpr std::size_t width = 120;
    constexpr std::size_t margin = 2;
    return "\nThe first layout's step alone, and why it takes so long:\n  " +
           config::continued_command(command_of(report, report.plan.rows.front().point), width, margin, 2 * margin);
}

std::string nothing_fits(const PlanReport& report) {
    const PlanQuestion& question = report.question;
    TextTable nearest{.columns = {{"", Align::left}, {"", Align::right, 1}, {"", Align::left, 1}}};
    for (const PlanMiss& miss : report.plan.nearest) {
        nearest.rows.push_back(
            {{"nearest:", bytes_text(static_cast<double>(miss.memory)),
              fmt::format("of {}: {}", bytes_text(static_cast<double>(question.machine.gpu.memory_bytes)),
                          short_layout(question, miss.point))}});
    }
    std::string text = text_of(nearest);
    for (const std::string& problem : report.first_problems) {
        text += fmt::format("for one: {}\n", problem);
    }
    if (report.enough && report.enough->gpus > 0) {
        text += fmt::format("{} GPUs would do: {}, {}\n", report.enough->gpus,
                            bytes_text(static_cast<double>(report.enough->smallest.memory)),
                            short_layout(question, report.enough->smallest.point));
    } else if (report.enough) {
        text += "more GPUs would not help with these choices\n";
    }
    return text;
}

}  // namespace

std::span<const PlanKey> plan_keys() {
    return ranking_keys;
}

const PlanKey& plan_key(std::string_view name) {
    const auto* const at =
        std::find_if(ranking_keys.begin(), ranking_keys.end(), [&](const PlanKey& key) { return key.name == name; });
    check(at != ranking_keys.end(), "layouts are not ranked by {}", name);
    return *at;
}

std::vector<std::size_t> listed_rows(const Plan& plan, PlanList list, std::size_t top) {
    std::vector<std::size_t> rows = plan.pareto;
    if (list == PlanList::best) {
        rows.resize(plan.rows.size());
        std::iota(rows.begin(), rows.end(), std::size_t{0});
    }
    rows.resize(std::min(rows.size(), top));
    return rows;
}

std::string command_of(const PlanReport& report, const PlanPoint& point) {
    return train_command(report.given, case_of(report.question, point));
}

const char* what_is_wrong(training::Misfit misfit) {
    switch (misfit) {
        case training::Misfit::count: return "have an impossible size";
        case training::Misfit::gpus: return "do not match the number of GPUs";
        case training::Misfit::heads: return "split heads unevenly";
        case training::Misfit::width: return "split a width unevenly";
        case training::Misfit::layers: return "have more stages than layers";
        case training::Misfit::sequence: return "split the sequence unevenly";
        case training::Misfit::experts: return "split experts unevenly";
        case training::Misfit::batch: return "do not divide the global batch";
        case training::Misfit::schedule: return "have a shape that the schedule does not support";
        case training::Misfit::combination: return "combine incompatible options";
        case training::Misfit::precision: return "need units that the GPU does not have";
        case training::Misfit::network: return "need links that the machine does not have";
    }
    return "?";
}

std::string counts_text(const PlanCounts& counts, const training::Machine& machine) {
    std::string text;
    const auto add = [&](std::size_t n, const std::string& what) {
        if (n > 0) {
            text += text.empty() ? fmt::format("{} of {} layouts {}", grouped(n), grouped(counts.all), what)
                                 : fmt::format("; {} {}", grouped(n), what);
        }
    };
    add(counts.need_too_much(),
        fmt::format("need more than {}", bytes_text(static_cast<double>(machine.gpu.memory_bytes))));
    for (std::size_t i = 0; i < misfit_kinds; ++i) {
        add(counts.refused[i], what_is_wrong(static_cast<training::Misfit>(i)));
    }
    add(counts.feasible, "fit and were simulated");
    add(counts.pruned, "fit and are no better in any respect than one of these");
    add(counts.not_reached, "were not reached");
    return text.empty() ? "there are no layouts" : text;
}

std::string text_of(const PlanReport& report) {
    const PlanQuestion& question = report.question;
    const Plan& plan = report.plan;
    std::string text = fmt::format("{} on {} GPUs of {}, {} sequences of {} tokens a step\n", question.model.name,
                                   fmt::join(question.space.gpus, " or "), question.machine.name,
                                   question.space.rest.batch.global, question.model.sequence);
    for (const std::string& line : report.notes) {
        text += line + "\n";
    }
    text += counts_text(plan.counts, question.machine) + ".\n";
    if (plan.rows.empty()) {
        return text + nothing_fits(report);
    }
    return text + "\n" + heading(report) + plan_table(report) + robustness_text(report) + certainty_text(report) +
           command_text(report) + flags_text(report);
}

}  // namespace sim::search
