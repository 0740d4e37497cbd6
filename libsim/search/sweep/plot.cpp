// Plots the combinations of a sweep that fit: each a point, joined by a line where no other one is better.
#include "libsim/check.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/charts.hpp"
#include "libsim/report/csv.hpp"
#include "libsim/report/terminal_text.hpp"
#include "libsim/search/search.hpp"
#include "libsim/search/sweep/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

namespace sim::search {

using namespace report;

namespace {

constexpr double tokens_of_plot = 1e12;
constexpr int columns_of_title = 76;

// The results of one row.
struct SweptNumbers {
    double step = 0;
    double tokens_per_second = 0;
    double memory = 0;
    double capacity = 0;
    double gpus = 0;
    double usd = 0;  // of a step; 0: unknown
};

double days_of(const SweptNumbers& row) {
    return tokens_of_plot / row.tokens_per_second / 86400;
}
double thousand_dollars_of(const SweptNumbers& row) {
    return row.usd / (row.step * row.tokens_per_second) * tokens_of_plot / 1e3;
}

struct PlotHeight {
    const char* name;
    const char* title;
    double (*of)(const SweptNumbers& row);  // 0: unknown
};
constexpr std::array heights{PlotHeight{"time", "days per 1 T tokens", days_of},
                             PlotHeight{"cost", "thousand $ per 1 T tokens", thousand_dollars_of}};

struct PlotWidth {
    const char* name;
    const char* title;
    double SweptNumbers::*number;
    double unit;
};
constexpr std::array widths{PlotWidth{"memory", "memory of the fullest GPU, GB", &SweptNumbers::memory, 1e9},
                            PlotWidth{"gpus", "GPUs", &SweptNumbers::gpus, 1}};

template <class Measures>
const auto& measure_named(const Measures& all, const std::string& name) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& measure) { return measure.name == name; });
    check(at != all.end(), "a sweep is not plotted by {}", name);
    return *at;
}
template <class Measures>
std::vector<std::string> names_of_measures(const Measures& all) {
    std::vector<std::string> names;
    for (const auto& measure : all) {
        names.emplace_back(measure.name);
    }
    return names;
}

// A row that fits.
struct Fitting {
    std::vector<std::string> options;  // one for each axis
    SweptNumbers numbers;
};

std::vector<Fitting> fitting_rows(const SweepTable& table) {
    const std::size_t axes = table.grid().axes.size();
    std::map<std::string, std::size_t> places;
    for (const std::string& column : result_columns()) {
        places.emplace(column, axes + places.size());
    }
    std::vector<Fitting> rows;
    for (std::size_t i = 0; i < table.grid().size(); ++i) {
        const std::vector<std::string> cells = csv_cells(table.row_text(i)).value_or(std::vector<std::string>{});
        if (!table.has(i) || cells[places.at("status")] != "ok") {
            continue;
        }
        const auto number = [&](const char* column) { return std::strtod(cells[places.at(column)].c_str(), nullptr); };
        rows.push_back({{cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(axes)},
                        {.step = number("step_seconds"),
                         .tokens_per_second = number("tokens_per_second"),
                         .memory = number("memory"),
                         .capacity = number("capacity"),
                         .gpus = number("all_gpus"),
                         .usd = number("usd_per_step")}});
    }
    return rows;
}

// Whether the rows differ in a number.
bool differ(const std::vector<Fitting>& rows, double SweptNumbers::*number) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const Fitting& row) { return row.numbers.*number != rows.front().numbers.*number; });
}

// The first axis with several values tells the points apart by colour; GPUs do not if they are the x axis.
std::optional<std::size_t> axis_of_colours(const SweepGrid& grid, const PlotWidth& x) {
    for (std::size_t i = 0; i < grid.axes.size(); ++i) {
        const bool is_x = x.number == &SweptNumbers::gpus && grid.axes[i].option == "gpus";
        if (grid.axes[i].values.size() > 1 && !is_x) {
            return i;
        }
    }
    return std::nullopt;
}

std::string words_of_row(const SweepGrid& grid, const Fitting& row) {
    std::string words;
    for (std::size_t i = 0; i < grid.axes.size(); ++i) {
        if (grid.axes[i].values.size() > 1) {
            words += fmt::format("{}{} {}", words.empty() ? "" : ", ", grid.axes[i].option, row.options[i]);
        }
    }
    const SweptNumbers& numbers = row.numbers;
    return fmt::format("{}: {}, {}{}", words.empty() ? "the only one" : words, time_text(numbers.step),
                       bytes_text(numbers.memory), numbers.usd > 0 ? ", " + money_text(numbers.usd) + " a step" : "");
}

// The groups of the points, one for each value of an axis, or one for all.
std::vector<std::string> groups_of_axis(const SweepGrid& grid, const std::optional<std::size_t>& axis) {
    if (!axis) {
        return {"fits"};
    }
    std::vector<std::string> groups;
    for (const std::string& value : grid.axes[*axis].values) {
        groups.push_back(fmt::format("{} {}", grid.axes[*axis].option, value));
    }
    return groups;
}

int group_of_row(const SweepGrid& grid, const std::optional<std::size_t>& axis, const Fitting& row) {
    if (!axis) {
        return 0;
    }
    const std::vector<std::string>& values = grid.axes[*axis].values;
    return static_cast<int>(std::find(values.begin(), values.end(), row.options[*axis]) - values.begin());
}

}  // namespace

std::vector<std::string> plot_heights() {
    return names_of_measures(heights);
}
std::vector<std::string> plot_widths() {
    return names_of_measures(widths);
}

std::string SweepTable::plot(const SweepPlot& wanted) const {
    std::vector<Fitting> rows = fitting_rows(*this);
    const char* const usual_x = differ(rows, &SweptNumbers::gpus) ? "gpus" : "memory";
    const PlotWidth& x = measure_named(widths, wanted.x.empty() ? usual_x : wanted.x);
    const PlotHeight& y = measure_named(heights, wanted.y);
    std::erase_if(rows, [&](const Fitting& row) { return !(y.of(row.numbers) > 0); });
    if (rows.empty()) {
        return "";
    }
    const std::optional<std::size_t> colours = axis_of_colours(grid_, x);
    Scatter scatter{
        .title = terminal_text(fmt::format("{} of {} fit: ndsim sweep{}", rows.size(), grid_.size(), grid_.shared()),
                               columns_of_title),
        .x_title = x.title,
        .y_title = y.title,
        .groups = groups_of_axis(grid_, colours)};
    if (x.number == &SweptNumbers::memory && !differ(rows, &SweptNumbers::capacity)) {
        scatter.x_limit = rows.front().numbers.capacity / x.unit;
        scatter.limit_words = "memory of a GPU";
    }
    std::vector<Tradeoff> both;
    for (const Fitting& row : rows) {
        const double size = row.numbers.*x.number;
        const double height = y.of(row.numbers);
        both.push_back({.memory = static_cast<std::int64_t>(size), .cost = height});
        scatter.points.push_back({.x = size / x.unit,
                                  .y = height,
                                  .group = group_of_row(grid_, colours, row),
                                  .words = words_of_row(grid_, row)});
    }
    for (const std::size_t i : pareto_front(both)) {
        scatter.points[i].is_best = true;
    }
    return svg_of(scatter);
}

}  // namespace sim::search
