#include "libsim/report/plot.hpp"

#include <fmt/format.h>
#include "libsim/report/text_table.hpp"

#include <algorithm>
#include <cmath>

namespace sim::report {

namespace {

// The smallest round step with which at most 15 steps reach `highest`.
double round_step(double highest) {
    const double least = highest / 15;
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least) {
            return factor * power;
        }
    }
    return 10 * power;
}

constexpr int edge = 9;  // columns for the values of the y axis

// One line of the plot: its label at the left edge, and its content.
std::string row_of_axis(const std::string& left, const std::string& right) {
    return line_of({{"", Align::right, 0, edge}, {"", Align::left, 1}}, {.cells = {left, right}});
}

class Canvas {
public:
    Canvas(std::size_t columns, double highest)
        : step_(round_step(highest)),
          lines_(static_cast<std::size_t>(std::ceil(highest / step_)) + 1, std::string(columns, ' ')) {}

    void put(std::size_t column, double value, char mark) {
        lines_[lines_.size() - 1 - static_cast<std::size_t>(std::lround(value / step_))][column] = mark;
    }
    // Labels each line with the value at its height.
    std::string text() const {
        std::string text;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const double value = step_ * static_cast<double>(lines_.size() - 1 - i);
            text += row_of_axis(fmt::format("{:.4g}", value), "|" + lines_[i]);
        }
        return text;
    }

private:
    double step_;
    std::vector<std::string> lines_;
};

void draw_curve(const Curve& curve, std::size_t step, Canvas& canvas) {
    for (std::size_t i = 0; i + 1 < curve.values.size(); ++i) {
        for (std::size_t column = 1; column < step; ++column) {
            const double part = static_cast<double>(column) / static_cast<double>(step);
            canvas.put(i * step + column, curve.values[i] + part * (curve.values[i + 1] - curve.values[i]), curve.line);
        }
    }
    for (std::size_t i = 0; i < curve.values.size(); ++i) {
        canvas.put(i * step, curve.values[i], curve.mark);
    }
}

}  // namespace

std::string draw(const Plot& plot) {
    std::size_t step = 8;
    for (const std::string& label : plot.x) {
        step = std::max(step, label.size() + 2);
    }
    double highest = 0;
    for (const Curve& curve : plot.curves) {
        highest = std::max(highest, *std::max_element(curve.values.begin(), curve.values.end()));
    }
    const std::size_t columns = (plot.x.size() - 1) * step + 1;
    Canvas canvas(columns, highest > 0 ? highest : 1);
    for (const Curve& curve : plot.curves) {
        draw_curve(curve, step, canvas);
    }
    const std::vector<TextColumn> labels(plot.x.size(), {"", Align::left, 0, static_cast<int>(step)});
    return canvas.text() + row_of_axis("", "+" + std::string(columns, '-')) +
           line_of(labels, {.cells = plot.x}, std::string(edge + 2, ' '));
}

}  // namespace sim::report
