// Where the time of a training step goes: by category, and along its critical path.
#include "libsim/explain/explained_step.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/time_bar.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

// The limiter of a step if that category takes most of it, in the order of TimeCategory.
constexpr std::array<const char*, time_categories> limits{
    "the GPUs' own work",
    "recomputation of the forward pass",
    "exposed tensor-parallel communication",
    "exposed context-parallel communication",
    "exposed expert-parallel communication",
    "exposed messages between pipeline stages",
    "exposed data-parallel communication",
    "the pipeline's bubble",
    "the optimizer's update and sums of gradients",
    "the host: data loader, launches, copies of activations",
    "waiting for slower ranks",
};

constexpr std::size_t most_sums = 8;
constexpr std::size_t most_turns = 12;

// "on stage 3", or "on 5 stages, most on stage 3: 1.234 s".
std::string where(const PathSum& sum, const char* rank) {
    if (sum.ranks == 1) {
        return fmt::format("{} {} {}", sum.message ? "from" : "on", rank, sum.busiest);
    }
    const char* const on = sum.message ? "from" : "on";
    return fmt::format("{} {} {}s, most {} {} {}: {}", on, sum.ranks, rank, on, rank, sum.busiest,
                       time_text(seconds(sum.on_busiest)));
}

std::string route(const std::vector<PathPiece>& path, const char* rank) {
    const std::vector<int> all = turns(path);
    if (all.size() < 2) {
        return "";
    }
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(most_turns, all.size()));
    const auto more = std::count(end, all.end(), all.front());
    return fmt::format("path: {} {}{}", rank, fmt::join(all.begin(), end, " -> "),
                       end == all.end() ? ""
                       : more == 0      ? " …"
                                   : fmt::format(" … ({})", number_text(more, "more round trip", "more round trips")));
}

FigureTable categories_table(const Budget& budget) {
    FigureTable table{.key = "categories",
                      .title = "Time of a step, averaged over all ranks; communication where no computation hides it",
                      .columns = {{"mark", "", Unit::words},
                                  {"category", "category", Unit::words},
                                  {"seconds", "time", Unit::seconds, "simulated"},
                                  {"share", "of the step", Unit::share, "time / step, rounded so that they add up"}},
                      .at = Shown::always};
    const std::vector<int> tenths = tenths_of_percent(budget);
    for (std::size_t i = 0; i < budget.size(); ++i) {
        const auto category = static_cast<TimeCategory>(i);
        if (budget[i] > 0) {
            table.rows.push_back(
                {{std::string(1, mark_of(category)), std::string(title_of(category)), budget[i], tenths[i] / 1000.0}});
        }
    }
    return table;
}

// `rank`: the word for a rank of the path; "stage" if one rank stands for its whole stage.
FigureTable path_table(const StepReport& report) {
    const char* const rank = report.options.every_rank() ? "rank" : "stage";
    FigureTable table{.key = "path",
                      .title = "Critical path: the chain of work and messages that takes as long as the step, by kind",
                      .columns = {{"what", "what", Unit::words},
                                  {"seconds", "time", Unit::seconds},
                                  {"share", "of the step", Unit::share},
                                  {"times", "times", Unit::count},
                                  {"where", "where", Unit::words}},
                      .note = route(report.path, rank),
                      .at = Shown::brief};
    const std::vector<PathSum> sums = summed(report.path);
    const auto row = [&](std::string what, Duration length, Value times, std::string on) {
        table.rows.push_back({{std::move(what), seconds(length), seconds(length) / seconds(report.step.step),
                               std::move(times), std::move(on)}});
    };
    Duration rest{0};
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const PathSum& sum = sums[i];
        if (i + 1 >= most_sums && sums.size() > most_sums) {
            rest += sum.part.length;
            continue;
        }
        row(std::string(training::label_of(sum.part.work)) + (sum.message ? ", sent" : ""), sum.part.length,
            sum.part.times, where(sum, rank));
    }
    if (rest > Duration{0}) {
        row(fmt::format("{} others", sums.size() - most_sums + 1), rest, {}, "");
    }
    return table;
}

}  // namespace

std::string limiter(const Budget& budget) {
    const double sum = std::accumulate(budget.begin(), budget.end(), 0.0);
    if (!(sum > 0)) {
        return "nothing: the step takes no time";
    }
    const std::vector<int> tenths = tenths_of_percent(budget);
    std::vector<std::size_t> order(budget.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return budget[a] > budget[b]; });
    const auto words = [&](std::size_t i) {
        return fmt::format("{} ({}.{} % of the step)", limits[i], tenths[i] / 10, tenths[i] % 10);
    };
    std::string text = words(order[0]);
    if (order[0] == 0 && budget[order[1]] > 0) {
        text += fmt::format("; largest loss: {}", words(order[1]));
    }
    return text;
}

Section time_by_category(const Budget& budget) {
    return {.kind = SectionKind::budget,
            .tables = {categories_table(budget)},
            .drawing = {fmt::format("[{}]", time_bar(budget))}};
}

std::optional<Section> explain_budget(const ExplainedStep& explained) {
    const Prediction& step = explained.report->step;
    Section section = time_by_category(step.budget);
    section.said = {{"Limited by {limiter}."}};
    section.figures = {
        {"limiter", "limited by", limiter(step.budget), Unit::words, "largest part of the step", "/limiter"}};
    if (!explained.report->path.empty()) {
        section.tables.push_back(path_table(*explained.report));
    }
    return section;
}

}  // namespace sim::explain
