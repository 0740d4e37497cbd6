#include "libsim/explain/memory/report.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::explain {

using namespace report;

namespace {

constexpr int height = 10;

// One column: the states, and the total.
struct Column {
    std::int64_t states = 0;
    std::int64_t total = 0;
};

std::vector<Column> columns_of(const std::vector<training::MemoryAt>& steps, std::size_t width) {
    std::vector<Column> columns(std::min(width, steps.size()));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        Column& column = columns[i * columns.size() / steps.size()];
        const training::MemoryUse& use = steps[i].use;
        if (use.total() >= column.total) {
            column = {use.states() + use.reserve + use.buffers, use.total()};
        }
    }
    return columns;
}

}  // namespace

std::string memory_chart(const std::vector<training::MemoryAt>& steps, std::int64_t capacity, std::size_t width) {
    const std::vector<Column> columns = columns_of(steps, width);
    std::int64_t top = capacity;
    for (const Column& column : columns) {
        top = std::max(top, column.total);
    }
    report::TextTable chart{.columns = {{""}, {"", report::Align::left, 1}}, .rows = {}, .margin = "  "};
    for (int row = height; row > 0; --row) {
        // A cell is drawn if at least half of it is filled.
        const double level = (row - 0.5) * static_cast<double>(top) / height;
        const double upper = static_cast<double>(row) * static_cast<double>(top) / height;
        const auto limit = static_cast<double>(capacity);
        const bool at_limit = limit > upper - static_cast<double>(top) / height && limit <= upper;
        std::string line;
        for (const Column& column : columns) {
            line += static_cast<double>(column.states) >= level  ? '#'
                    : static_cast<double>(column.total) >= level ? (level > limit ? '!' : '+')
                    : at_limit                                   ? '-'
                                                                 : ' ';
        }
        line.erase(line.find_last_not_of(' ') + 1);
        chart.rows.push_back({{bytes_text(upper), fmt::format("|{}{}", line, at_limit ? " capacity" : "")}});
    }
    chart.rows.push_back({{"", "+" + std::string(columns.size(), '-')}});
    return text_of(chart);
}

}  // namespace sim::explain
