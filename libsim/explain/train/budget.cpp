// Where the time of a step goes: a bar and a table that sum up to 100 %.
#include "libsim/explain/train/sections.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

using report::Align;

constexpr int bar_width = 60;

struct Shown {
    const char* title;
    char mark;
    const char* advice;  // what limits a step of which this takes most
};
// In the order of TimeCategory.
constexpr std::array<Shown, training::time_categories> category_rows{{
    {"compute", 'C', "the GPUs' own work"},
    {"recompute", 'R', "recomputation of the forward pass"},
    {"tensor-parallel communication", 'T', "exposed tensor-parallel communication"},
    {"context-parallel communication", 'X', "exposed context-parallel communication"},
    {"expert-parallel communication", 'E', "exposed expert-parallel communication"},
    {"messages between stages", 'P', "exposed messages between pipeline stages"},
    {"data-parallel communication", 'D', "exposed data-parallel communication"},
    {"pipeline bubble", '.', "the pipeline's bubble"},
    {"optimizer", 'O', "the optimizer's update and sums of gradients"},
    {"overhead", 'H', "the host: data loader, launches, copies of activations"},
    {"stragglers", 'S', "waiting for slower ranks"},
}};

// The bar's characters, as many as tenths of a percent say; by largest remainder, so that all of it is filled.
std::string bar(const std::vector<int>& tenths) {
    std::string text;
    int sum = 0;
    for (std::size_t i = 0; i < tenths.size(); ++i) {
        sum += tenths[i];
        const auto upto = static_cast<std::size_t>((sum * bar_width + 500) / 1000);
        text.append(upto > text.size() ? upto - text.size() : 0, category_rows[i].mark);
    }
    return text;
}

std::string percent(int tenths) {
    return fmt::format("{}.{}", tenths / 10, tenths % 10);
}

}  // namespace

const char* title_of(training::TimeCategory spent) {
    return category_rows[static_cast<std::size_t>(spent)].title;
}

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
        return fmt::format("{} ({} % of the step)", category_rows[i].advice, percent(tenths[i]));
    };
    std::string text = words(order[0]);
    if (order[0] == 0 && budget[order[1]] > 0) {
        text += fmt::format("; largest loss: {}", words(order[1]));
    }
    return text;
}

std::string time_budget(const Prediction& step) {
    const std::vector<int> tenths = tenths_of_percent(step.budget);
    report::TextTable table{.columns = {{"", Align::left}, {"", Align::left}, {""}, {""}}, .rows = {}, .margin = "  "};
    for (std::size_t i = 0; i < category_rows.size(); ++i) {
        if (step.budget[i] > 0) {
            table.rows.push_back({{std::string(1, category_rows[i].mark), category_rows[i].title,
                                   time_text(step.budget[i]), percent(tenths[i]) + " %"}});
        }
    }
    const double sum = std::accumulate(step.budget.begin(), step.budget.end(), 0.0);
    table.rows.push_back(
        {{"", "step", time_text(sum), percent(std::accumulate(tenths.begin(), tenths.end(), 0)) + " %"}});
    return fmt::format(
               "\nTime of a step, the average over all ranks; communication as far as no computation hides it\n"
               "  [{}]\n",
               bar(tenths)) +
           text_of(table);
}

}  // namespace sim::explain
