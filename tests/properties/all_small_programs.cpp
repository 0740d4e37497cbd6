// All programs of up to 3 ranks x 4 ops in which every send has its receive, enumerated, on every way to run them.
//
// An op is a compute, a send to one of the others, or a receive from one of the others. Programs that cannot match are
// left out, because they cannot end. Each program runs on the kernel in both orders. The programs that end run one
// after another, with barriers between them, in one run with processes and in one with fibers, and must give the same
// timeline.
#include "libsim/kernel/kernel.hpp"
#include "tests/support/simulate.hpp"

#include <array>
#include <map>

namespace {

using namespace sim;
using namespace sim::kernel;
using namespace sim::test;

constexpr int most_ops = 4;

// 0: compute; 1 and 2: send to the next rank and the one after; 3 and 4: receive from the next and the one after.
using Script = std::vector<int>;

std::vector<Script> all_scripts(int ranks) {
    const std::vector<int> ops = ranks == 1   ? std::vector{0}
                                 : ranks == 2 ? std::vector{0, 1, 3}
                                              : std::vector{0, 1, 2, 3, 4};
    std::vector<Script> scripts{{}};
    for (std::size_t from = 0; from < scripts.size(); ++from) {
        if (scripts[from].size() == most_ops) {
            break;
        }
        for (const int op : ops) {
            Script longer = scripts[from];
            longer.push_back(op);
            scripts.push_back(longer);
        }
    }
    return scripts;
}

int peer_of(int rank, int op, int ranks) {
    return (rank + (op == 1 || op == 3 ? 1 : 2)) % ranks;
}

Op op_of(int rank, int op, int ranks) {
    const std::int64_t some = Units(rank + 1).billionths();
    if (op == 0) {
        return {.kind = OpKind::compute, .measure = Measure::units, .amount = some};
    }
    return {.kind = op < 3 ? OpKind::send : OpKind::receive,
            .measure = Measure::units,
            .peer = peer_of(rank, op, ranks),
            .amount = Units(10).billionths()};
}

void perform(GPU& gpu, const Script& script) {
    for (const int op : script) {
        const int peer = peer_of(gpu.rank(), op, gpu.world_size());
        if (op == 0) {
            gpu.compute(Units(gpu.rank() + 1));
        } else if (op < 3) {
            gpu.send(peer, Units(10));
        } else {
            gpu.receive(peer, Units(10));
        }
    }
}

using Program = std::array<const Script*, 3>;  // by rank

// Sends minus receives for each pair of ranks: 0 everywhere if all can match.
using Balance = std::array<int, 9>;

Balance balance_of(int rank, const Script& script, int ranks) {
    Balance balance{};
    for (const int op : script) {
        if (op > 0) {
            const int peer = peer_of(rank, op, ranks);
            const int from = op < 3 ? rank : peer;
            const int to = op < 3 ? peer : rank;
            balance[static_cast<std::size_t>(from * 3 + to)] += op < 3 ? 1 : -1;
        }
    }
    return balance;
}

std::vector<Program> all_matching_programs(int ranks, const std::vector<Script>& scripts) {
    std::map<Balance, std::vector<const Script*>> last_by_balance;
    for (const Script& script : scripts) {
        Balance needed = balance_of(ranks - 1, script, ranks);
        for (int& n : needed) {
            n = -n;
        }
        last_by_balance[needed].push_back(&script);
    }
    std::vector<Program> programs;
    const auto complete = [&](Program program, const Balance& so_far) {
        const auto fitting = last_by_balance.find(so_far);
        if (fitting == last_by_balance.end()) {
            return;
        }
        for (const Script* last : fitting->second) {
            program[static_cast<std::size_t>(ranks - 1)] = last;
            programs.push_back(program);
        }
    };
    if (ranks == 1) {
        complete({}, {});
        return programs;
    }
    for (const Script& first : scripts) {
        const Balance a = balance_of(0, first, ranks);
        if (ranks == 2) {
            complete({&first}, a);
            continue;
        }
        for (const Script& second : scripts) {
            Balance sum = balance_of(1, second, ranks);
            for (std::size_t i = 0; i < sum.size(); ++i) {
                sum[i] += a[i];
            }
            complete({&first, &second}, sum);
        }
    }
    return programs;
}

// End time of each rank, or nothing if some ranks never end.
std::optional<std::vector<Time>> ends_on_kernel(const Program& program, int ranks, Order order) {
    Names names;
    Groups groups(ranks);
    Kernel kernel(ranks, gpu_py(), names, groups, {.order = order});
    std::array<std::vector<Op>, 3> ops;
    std::array<std::size_t, 3> taken{};
    for (int rank = 0; rank < ranks; ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        for (const int op : *program[at]) {
            ops[at].push_back(op_of(rank, op, ranks));
        }
        ops[at].push_back({.kind = OpKind::finish});
    }
    while (const std::optional<int> rank = kernel.next_turn()) {
        const auto at = static_cast<std::size_t>(*rank);
        taken[at] += kernel.accept(*rank, std::span(ops[at]).subspan(taken[at]));
    }
    if (kernel.stuck()) {
        return std::nullopt;
    }
    std::vector<Time> ends;
    for (int rank = 0; rank < ranks; ++rank) {
        ends.push_back(kernel.time(rank));
    }
    return ends;
}

class AllSmallPrograms : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, AllSmallPrograms, testing::Values(1, 2, 3));

TEST_P(AllSmallPrograms, AgreeInBothOrdersAndOnBothHosts) {
    const int ranks = GetParam();
    const std::vector<Script> scripts = all_scripts(ranks);
    const std::vector<Program> programs = all_matching_programs(ranks, scripts);
    std::vector<Program> ending;
    for (const Program& program : programs) {
        const auto ends = ends_on_kernel(program, ranks, Order::any);
        ASSERT_EQ(ends, ends_on_kernel(program, ranks, Order::time));
        if (ends) {
            ending.push_back(program);
        }
    }
    std::cout << ranks << " ranks: " << programs.size() << " programs, of which " << ending.size() << " end\n";
    const ranks::Program one_after_another = [&](GPU& gpu) {
        for (const Program& program : ending) {
            perform(gpu, *program[static_cast<std::size_t>(gpu.rank())]);
            gpu.barrier();
        }
    };
    const auto processes = ranks::launch({.ranks = ranks, .host = ranks::Host::process}, one_after_another);
    const auto fibers = ranks::launch({.ranks = ranks, .host = ranks::Host::fiber}, one_after_another);
    ASSERT_TRUE(processes.ok()) << processes.fault->message;
    EXPECT_EQ(processes.timeline_sha256, fibers.timeline_sha256);
    EXPECT_EQ(processes.ops, fibers.ops);
}

// Every two-rank program of up to 3 ops, matching or not, ends or fails alike on both hosts, with the same message.
TEST(AllSmallPrograms, ThatFailDoSoWithTheSameWordsOnBothHosts) {
    std::vector<Script> scripts = all_scripts(2);
    std::erase_if(scripts, [](const Script& script) { return script.size() > 2; });
    for (const Script& first : scripts) {
        for (const Script& second : scripts) {
            const ranks::Program program = [&](GPU& gpu) { perform(gpu, gpu.rank() == 0 ? first : second); };
            const auto processes = ranks::launch({.ranks = 2, .host = ranks::Host::process}, program);
            const auto fibers = ranks::launch({.ranks = 2, .host = ranks::Host::fiber}, program);
            ASSERT_EQ(processes.exit_code(), fibers.exit_code());
            ASSERT_EQ(processes.timeline_sha256, fibers.timeline_sha256);
            if (!processes.ok()) {
                ASSERT_EQ(processes.fault->message, fibers.fault->message);
            }
        }
    }
}

}  // namespace
