// Runs a rank program and keeps all its spans, which most tests examine.
#pragma once

#include "ranks/hosts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace sim::test {

struct KeptSpan {
    int rank = 0;
    OpKind kind = OpKind::compute;
    std::uint32_t op_number = 0;
    std::string label;
    int peer = -1;
    std::int64_t amount = 0;
    Duration begin{0};
    Duration end{0};
    Duration idle{0};
    std::uint64_t message = 0;
    Stream stream = Stream::main;
    friend bool operator==(const KeptSpan&, const KeptSpan&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const KeptSpan& s) {
    return out << "rank " << s.rank << " " << name_of(s.kind) << " '" << s.label << "' " << s.begin.count() << ".."
               << s.end.count() << " ps";
}

struct Simulation {
    ranks::Result result;
    std::vector<std::vector<KeptSpan>> spans;  // by rank

    Duration end() const { return result.end.time_since_epoch(); }
    const KeptSpan& span(int rank, std::size_t index) const {
        return spans.at(static_cast<std::size_t>(rank)).at(index);
    }
};

inline KeptSpan keep(const Span& s) {
    return {s.rank,
            s.kind,
            s.op_number,
            *s.label,
            s.peer,
            s.amount,
            s.begin.time_since_epoch(),
            s.end.time_since_epoch(),
            s.idle,
            s.message,
            s.stream};
}

inline Simulation simulate(ranks::LaunchOptions options, const ranks::Program& program) {
    Simulation simulation;
    simulation.spans.resize(static_cast<std::size_t>(options.ranks));
    options.on_span = [&](const Span& span) {
        simulation.spans[static_cast<std::size_t>(span.rank)].push_back(keep(span));
    };
    simulation.result = ranks::launch(options, program);
    return simulation;
}

// Like simulate(), but expects the run to succeed.
inline Simulation simulate_well(const ranks::LaunchOptions& options, const ranks::Program& program) {
    Simulation simulation = simulate(options, program);
    EXPECT_TRUE(simulation.result.ok()) << simulation.result.fault->message;
    return simulation;
}

// Base of suites that run every test on both hosts.
class OnBothHosts : public testing::TestWithParam<ranks::Host> {
protected:
    static ranks::LaunchOptions ranks(int count) { return {.ranks = count, .host = GetParam()}; }
    static ranks::LaunchOptions ranks(int count, const Cluster& cluster) {
        return {.ranks = count, .host = GetParam(), .cluster = cluster};
    }
};

inline std::string host_name(const testing::TestParamInfo<ranks::Host>& info) {
    std::string name = row_of(info.param).plural;
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
    return name;
}

// Every row of the table of hosts.
inline auto both_hosts() {
    std::vector<ranks::Host> all;
    for (std::size_t number = 0; number < ranks::hosts().size(); ++number) {
        all.push_back(static_cast<ranks::Host>(number));
    }
    return testing::ValuesIn(all);
}

}  // namespace sim::test
