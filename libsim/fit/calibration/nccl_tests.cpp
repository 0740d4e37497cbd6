#include "libsim/fit/calibration/nccl_tests.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/fit/calibration/nccl_tests_lines.hpp"
#include "libsim/nearest.hpp"
#include "libsim/network/bus_bandwidth.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace sim::fit {

using namespace config;

namespace {

struct Program {
    const char* name;  // without _perf
    CollectiveKind kind;
    bool send_receive = false;
};
constexpr Program test_programs[] = {
    {"all_reduce", CollectiveKind::all_reduce},
    {"all_gather", CollectiveKind::all_gather},
    {"reduce_scatter", CollectiveKind::reduce_scatter},
    {"broadcast", CollectiveKind::broadcast},
    {"reduce", CollectiveKind::reduce},
    {"alltoall", CollectiveKind::all_to_all},
    {"gather", CollectiveKind::gather},
    {"scatter", CollectiveKind::scatter},
    {"sendrecv", CollectiveKind::broadcast, true},
};

double bus_share(const Program& program, int ranks) {
    return program.send_receive ? 1 : network::bus_factor(program.kind, ranks);
}

struct Ranks {
    int all = 0;
    int on_node = 0;
};

class NcclTestsReader {
public:
    NcclTestsReader(const NcclTestsOutput& output, const NcclTestsFacts& facts) : output_(output), facts_(facts) {}

    std::vector<Measurement> measurements() const {
        if (output_.rows.empty()) {
            throw UsageError(
                fmt::format("{}: has no line of nccl-tests' table: size, count, type, redop, root, time, "
                            "algbw, busbw",
                            output_.file));
        }
        const Program& program = program_of();
        const Ranks ranks = ranks_of(program);
        std::vector<Measurement> all;
        for (const NcclTestsRow& row : output_.rows) {
            check(row, program, ranks.all);
            if (row.bytes > 0 && row.microseconds > 0) {
                all.push_back(
                    {output_.file, row.line, row.microseconds * 1e-6,
                     TimedCollective{program.kind, program.send_receive, row.bytes, ranks.all, ranks.on_node}});
            }
        }
        if (all.empty()) {
            throw UsageError(fmt::format("{}: all its sizes are 0 bytes", output_.file));
        }
        return all;
    }

private:
    [[noreturn]] void refuse(int line, const std::string& why) const {
        throw UsageError(output_.unit == "line" ? fmt::format("{}:{}: {}", output_.file, line, why)
                                                : fmt::format("{}: {} {}: {}", output_.file, output_.unit, line, why));
    }

    const Program& program_named(const std::string& name, int line) const {
        const auto at = std::find_if(std::begin(test_programs), std::end(test_programs),
                                     [&](const Program& one) { return one.name == name; });
        if (at == std::end(test_programs)) {
            refuse(line, fmt::format("{}_perf is no collective that can be timed here; these can: {}", shortened(name),
                                     fmt::join(nccl_tests_collectives(), ", ")));
        }
        return *at;
    }

    // The program given by the user, the output, the file's name, or the columns of the table, in this order.
    const Program& program_of() const {
        if (!facts_.collective.empty()) {
            return program_named(facts_.collective, output_.rows.front().line);
        }
        if (!output_.program.empty()) {
            return program_named(output_.program, output_.program_line);
        }
        const std::string name = output_.file.substr(output_.file.find_last_of('/') + 1);
        const Program* longest = nullptr;
        for (const Program& one : test_programs) {
            const bool longer = longest == nullptr || std::string(one.name).size() > std::string(longest->name).size();
            longest = name.find(one.name) != std::string::npos && longer ? &one : longest;
        }
        return longest != nullptr ? *longest : program_of_columns();
    }

    const Program& program_of_columns() const {
        const NcclTestsRow& row = largest_row();
        const double share = row.algorithm_bandwidth > 0 ? row.bus_bandwidth / row.algorithm_bandwidth : 0;
        const char* name = nullptr;
        if (row.reduces) {
            name = row.root >= 0 ? "reduce" : share >= 0.99 ? "all_reduce" : "reduce_scatter";
        } else if (row.root >= 0 && share >= 0.99) {
            name = "broadcast";
        }
        if (name == nullptr) {
            refuse(row.line, "does not say which collective it is; give --collective NAME");
        }
        return program_named(name, row.line);
    }

    const NcclTestsRow& largest_row() const {
        return *std::max_element(output_.rows.begin(), output_.rows.end(),
                                 [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    }

    Ranks ranks_of(const Program& program) const {
        Ranks ranks{facts_.ranks, facts_.ranks_per_node};
        int listed = 0;
        int most = 0;
        for (const auto& [host, count] : output_.on_hosts) {
            listed = std::min(listed + count, 1 << 24);
            most = std::max(most, count);
        }
        ranks.all = ranks.all > 0 ? ranks.all : listed > 0 ? listed : output_.ranks_of_process;
        const NcclTestsRow& row = largest_row();
        if (ranks.all == 0) {
            refuse(row.line, "does not say how many ranks there were; give --ranks N");
        }
        ranks.on_node = ranks.on_node > 0 ? ranks.on_node : listed == ranks.all ? most : 0;
        if (ranks.on_node == 0 && listed == 0 && facts_.ranks == 0) {
            ranks.on_node = ranks.all;  // one process
        }
        if (ranks.on_node == 0) {
            refuse(row.line, "does not say how many ranks were on a node; give --ranks-per-node N");
        }
        ranks.on_node = std::min(ranks.on_node, ranks.all);
        if (ranks.all < 2) {
            refuse(row.line, fmt::format("{} among 1 rank says nothing about a network; are more meant, give --ranks N",
                                         program.name));
        }
        return ranks;
    }

    // The ratio of a row's two bandwidths depends on the number of ranks. Both are printed with two decimals.
    void check(const NcclTestsRow& row, const Program& program, int ranks) const {
        if (row.wrong > 0) {
            refuse(row.line, fmt::format("{:g} wrong values: what is not right is not measured", row.wrong));
        }
        const double expected = row.algorithm_bandwidth * bus_share(program, ranks);
        const double rounding = 0.01 * (1 + bus_share(program, ranks)) + 0.002 * expected;
        const bool rounded_to_nothing = row.algorithm_bandwidth < 1;
        if (!rounded_to_nothing && std::abs(row.bus_bandwidth - expected) > rounding) {
            refuse(row.line, fmt::format("busbw {:g} is not algbw {:g} times {:.4g}, as it is of {} among {} ranks",
                                         row.bus_bandwidth, row.algorithm_bandwidth, bus_share(program, ranks),
                                         program.name, ranks));
        }
    }

    const NcclTestsOutput& output_;
    const NcclTestsFacts& facts_;
};

}  // namespace

std::vector<std::string> nccl_tests_collectives() {
    std::vector<std::string> names;
    for (const Program& one : test_programs) {
        names.emplace_back(one.name);
    }
    return names;
}

std::string nccl_tests_program(const std::string& word) {
    const std::string last = word.substr(word.find_last_of('/') + 1);
    const std::string name = last.substr(0, std::min(last.find("_perf"), last.size()));
    std::vector<std::string> known = nccl_tests_collectives();
    known.insert(known.end(), {"hypercube", "alltoallv", "alltoallv2", "bisection"});  // known, but refused
    const bool is_program = name != last && std::find(known.begin(), known.end(), name) != known.end();
    return is_program ? name : "";
}

std::vector<Measurement> read_nccl_tests(const std::string& text, const std::string& file,
                                         const NcclTestsFacts& facts) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool json = first != std::string::npos && text[first] == '{';
    if (json) {
        check_nesting(text, file, Notation::json);
    }
    const NcclTestsOutput output = json ? nccl_tests_json(text, file) : nccl_tests_text(text, file);
    return NcclTestsReader(output, facts).measurements();
}

}  // namespace sim::fit
