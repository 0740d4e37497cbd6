// docs/collectives.md: its tables match the schedules.
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/collectives/schedules/algorithms.hpp"
#include "tests/support/formula.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <optional>
#include <set>

namespace {

using namespace sim;
using test::Formula;

struct Row {
    CollectiveKind kind;
    std::string config;
    std::string steps;
    std::string messages;
    std::string sent;
    std::string time;
    std::string exact;
};

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    for (std::size_t begin = line.find('|'); begin + 1 < line.size();) {
        const std::size_t end = std::min(line.find('|', begin + 1), line.size());
        cells.push_back(line.substr(begin + 2, end - begin - 3));
        begin = end;
    }
    return cells;
}

std::optional<CollectiveKind> kind_named(const std::string& name) {
    for (int number = 0; number <= static_cast<int>(CollectiveKind::all_to_all); ++number) {
        if (name == name_of(static_cast<CollectiveKind>(number))) {
            return static_cast<CollectiveKind>(number);
        }
    }
    return {};
}

std::vector<Row> rows_of_page() {
    std::ifstream page(NDSIM_SOURCE_DIR "/docs/collectives.md");
    std::vector<Row> rows;
    std::optional<CollectiveKind> kind;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("#")) {
            kind = line.starts_with("### ") ? kind_named(line.substr(4)) : std::nullopt;
        } else if (kind && line.starts_with("| `")) {
            const std::vector<std::string> cells = cells_of(line);
            rows.push_back({*kind, cells.at(0), cells.at(1), cells.at(2), cells.at(3), cells.at(4), cells.at(5)});
        }
    }
    return rows;
}

constexpr int pieces = 6;
constexpr int inner = 2;
constexpr int middle = 2;

Algorithm algorithm_of(const Row& row) {
    const std::string name = row.config.substr(1, row.config.find('`', 1) - 1);
    for (const Algorithm algorithm : algorithms_of(row.kind)) {
        if (name == name_of(algorithm)) {
            return algorithm;
        }
    }
    throw std::runtime_error(name + " is no algorithm of " + name_of(row.kind));
}

AlgorithmConfig config_of(const Row& row) {
    AlgorithmParameters options;
    const auto names = [&row](const char* option) { return row.config.find(option) != std::string::npos; };
    options.pieces = names("pieces k") || names("double-binary-tree") ? pieces : 0;
    options.inner = names("inner g") ? inner : 0;
    options.middle = names("middle m") ? middle : 0;
    return {algorithm_of(row), options};
}

// Times in picoseconds, one per byte; S is divisible by every number of parts that a schedule uses.
constexpr int latency = 500;
constexpr int acknowledgement = 70;
constexpr std::int64_t size = 64LL * 9 * 5 * 7 * 11 * 13;

std::map<std::string, double> names_of(const AlgorithmConfig& config, int n) {
    const int g = std::max(config.inner, 1);
    const int m = std::max(config.middle, 1);
    return {{"n", n},
            {"S", size},
            {"B", 1},
            {"l", latency},
            {"a", acknowledgement},
            {"L", latency + acknowledgement},
            {"H", std::bit_width(static_cast<unsigned>(n - 1))},
            {"p", std::bit_floor(static_cast<unsigned>(n))},
            {"k", config.pieces},
            {"g", g},
            {"m", m},
            {"h", n / (g * m)}};
}

bool is_for(const Row& row, int n) {
    const bool power_of_two = std::has_single_bit(static_cast<unsigned>(n));
    return row.exact == "powers of two" ? power_of_two : row.exact == "other n" ? !power_of_two : true;
}

struct Measured {
    std::int64_t messages = 0;
    std::int64_t most_sent = 0;
    std::int64_t time = 0;
};

Measured measured(const Schedule& schedule) {
    const bool empty = schedule.kind == CollectiveKind::barrier;
    const std::int64_t each = empty ? 0 : ceil_div(size, schedule.chunks);
    std::vector<MemberClock> members(static_cast<std::size_t>(schedule.members));
    const auto price = [each](Hop, int chunks) { return Duration{latency + each * chunks}; };
    read_time(schedule, LinkCosts(price, {Duration{acknowledgement}, Duration{acknowledgement}}, {}), members);
    Measured all;
    for (const MemberClock& member : members) {
        all.messages += member.messages;
        all.most_sent = std::max(all.most_sent, member.chunks * each);
        all.time = std::max(all.time, member.time.time_since_epoch().count());
    }
    return all;
}

TEST(CollectivesPage, SaysOfEveryMethodWhatItsScheduleTakesAndSends) {
    const std::vector<Row> rows = rows_of_page();
    for (const Row& row : rows) {
        for (const int n : {4, 5, 6, 7, 8, 12, 16, 20}) {
            const AlgorithmConfig config = config_of(row);
            if (!is_for(row, n) || n % (std::max(config.inner, 1) * std::max(config.middle, 1)) != 0) {
                continue;
            }
            const Schedule schedule = schedule_of(row.kind, config, n, 0);
            const std::map<std::string, double> names = names_of(config, n);
            const auto said = [&names](const std::string& formula) { return Formula(formula, names).value(); };
            const Measured found = measured(schedule);
            const std::string where = std::string(name_of(row.kind)) + " " + row.config + " n=" + std::to_string(n);
            EXPECT_DOUBLE_EQ(schedule.steps, said(row.steps)) << where;
            EXPECT_DOUBLE_EQ(static_cast<double>(found.messages), said(row.messages)) << where;
            EXPECT_DOUBLE_EQ(static_cast<double>(found.most_sent), said(row.sent)) << where;
            if (row.exact == "at most") {
                EXPECT_LE(static_cast<double>(found.time), said(row.time)) << where;
            } else {
                EXPECT_DOUBLE_EQ(static_cast<double>(found.time), said(row.time)) << where;
            }
        }
    }
}

TEST(CollectivesPage, HasARowForEveryAlgorithmOfEveryKind) {
    std::set<std::pair<CollectiveKind, Algorithm>> there;
    for (const Row& row : rows_of_page()) {
        there.insert({row.kind, algorithm_of(row)});
    }
    for (int number = 0; number <= static_cast<int>(CollectiveKind::all_to_all); ++number) {
        const auto kind = static_cast<CollectiveKind>(number);
        for (const Algorithm algorithm : algorithms_of(kind)) {
            EXPECT_EQ(there.count({kind, algorithm}), 1U) << name_of(kind) << " " << name_of(algorithm);
        }
    }
}

}  // namespace
