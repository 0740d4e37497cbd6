// The first error in simulated time of a program with several is reported, with one timeline: whichever rank reached
// its own first in wall time, and on every host.
#include "libsim/collectives/all_reduce.hpp"
#include "tests/support/mixed_program.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/soak.hpp"

#include <limits>
#include <map>
#include <memory>
#include <stdexcept>

namespace {

using namespace sim;
using namespace sim::test;
using testing::HasSubstr;

// Changes some ops of a rank before they are posted.
class FaultyPort : public Port {
public:
    FaultyPort(Port& to, std::uint64_t seed)
        : Port(to.rank(), to.ranks()), to_(&to), random_(seed * 100 + static_cast<std::uint64_t>(to.rank())) {
        next_ = &slot_;
        end_ = next_ + 1;
        wrong_ = random_.below(3) == 0 ? random_.below(25) : -1;
    }
    Answer ask(Op op) override { return to_->ask(changed(op)); }
    Label intern(std::string_view text) override { return to_->intern(text); }
    GroupId number(const Group& group) override { return to_->number(group); }
    void write(std::span<const std::byte> payload) override { to_->write(payload); }
    void read(std::span<std::byte> payload) override { to_->read(payload); }
    std::vector<std::span<const std::byte>> gathered() override { return to_->gathered(); }
    void report(Label name, std::span<const double> values) override { to_->report(name, values); }

private:
    void make_room() override {
        to_->post(changed(slot_));
        next_ = &slot_;
    }

    Op changed(Op op) {
        if (wrong_-- != 0) {
            return op;
        }
        switch (op.kind) {
            case OpKind::send:
            case OpKind::receive:
                if (random_.below(2) == 0) {
                    op.tag += 1;
                    break;
                }
                [[fallthrough]];
            case OpKind::enter:
            case OpKind::collective: op.amount += 1; break;
            case OpKind::allocate: op.amount = -1'000'000'000'000; break;
            case OpKind::wait: op.amount = 1'000; break;
            default: wrong_ = 0;  // change the next op instead
        }
        return op;
    }

    Port* to_;
    Random random_;
    Op slot_ = {};
    int wrong_;
};

ranks::Result run_wrong(ranks::Host host, std::uint64_t seed) {
    return ranks::launch({.ranks = 6,
                          .host = host,
                          .on_log = nullptr,
                          .port_between = [seed](Port& port) { return std::make_unique<FaultyPort>(port, seed); }},
                         [seed](GPU& gpu) { mixed_program(gpu, seed); });
}

TEST(Mistakes, OfFiftyFiveProgramsAreToldTheSameInEveryRunOnEveryHost) {
    const int runs_each = times(3, 100);
    int programs = 0;
    std::map<std::string, int> kinds;
    for (std::uint64_t seed = 1; programs < 55; ++seed) {
        const ranks::Result fibers = run_wrong(ranks::Host::fiber, seed);
        if (fibers.ok()) {
            continue;  // no rank drew a fault
        }
        ++programs;
        ASSERT_EQ(fibers.exit_code(), 3) << fibers.fault->message;
        ++kinds[fibers.fault->message.substr(0, fibers.fault->message.find(' '))];
        for (int i = 0; i < runs_each; ++i) {
            const ranks::Result processes = run_wrong(ranks::Host::process, seed);
            ASSERT_FALSE(processes.ok());
            ASSERT_EQ(processes.fault->message, fibers.fault->message) << "program " << seed << ", run " << i;
            ASSERT_EQ(processes.timeline_sha256, fibers.timeline_sha256) << "program " << seed << ", run " << i;
            ASSERT_EQ(processes.fault->rank, fibers.fault->rank);
        }
    }
    for (const char* first : {"collectives", "sizes", "deadlock", "rank"}) {
        EXPECT_GT(kinds[first], 2) << first;
    }
}

using FirstMistake = OnBothHosts;
INSTANTIATE_TEST_SUITE_P(Hosts, FirstMistake, both_hosts(), host_name);

// Rank 0 frees too much at 3 s, ranks 1 and 2 at 2 s: rank 1 is first by time, then by rank.
TEST_P(FirstMistake, IsThatOfTheSmallestTimeThenRank) {
    const ranks::Result result = ranks::launch(ranks(4), [](GPU& gpu) {
        gpu.compute(Units(gpu.rank() == 0 ? 30 : 20));
        if (gpu.rank() < 3) {
            gpu.release("never held", Units(1));
        }
    });
    ASSERT_EQ(result.exit_code(), 3);
    EXPECT_EQ(result.fault->message, "rank 1 frees at 2 s 1 unit more than it has allocated");
    EXPECT_EQ(result.fault->rank, 1);
}

// Rank 3's message does not match rank 2's receive. Ranks 0 and 1 run for 5 s more, and are in the timeline.
TEST_P(FirstMistake, StopsNobodyButWhoMadeIt) {
    const Simulation run = simulate(ranks(4), [](GPU& gpu) {
        if (gpu.rank() == 3) {
            gpu.send(2, Units(10));
        } else if (gpu.rank() == 2) {
            gpu.receive(3, Units(11));
            gpu.compute(Units(1));
        } else {
            gpu.compute(Units(50));
        }
    });
    EXPECT_EQ(run.result.fault->message,
              "sizes do not match at 150 ms\n"
              "  rank 2, op 0: receive from 3 expects 11 units\n"
              "  rank 3 sent 10 units at 0 s");
    EXPECT_EQ(run.spans[0].size(), 1U);
    EXPECT_EQ(run.spans[2].size(), 0U);
    EXPECT_EQ(run.result.end, Time{std::chrono::seconds{5}});
}

// Rank 2 arrives first, at 0 s; ranks 1 and 2 disagree from 1 s on; rank 0 arrives at 2 s.
TEST_P(FirstMistake, OfACollectiveNamesTheFirstTwoByRankWhoDisagree) {
    const ranks::Result result = ranks::launch(ranks(3), [](GPU& gpu) {
        gpu.compute(Units(20 - 10 * gpu.rank()));
        std::vector<double> data(3);
        all_reduce(gpu, world(gpu), data, Units(gpu.rank() == 2 ? 6 : 5));
    });
    EXPECT_EQ(result.fault->message,
              "collectives do not match in the world\n"
              "  rank 0, op 1: all-reduce of 5 units, elements of 8 B   at 2 s\n"
              "  rank 2, op 1: all-reduce of 6 units, elements of 8 B   at 0 s");
}

// An exception from a rank that finds elements of another size is a consequence of the mistake, not the mistake.
TEST_P(FirstMistake, ComesBeforeWhatARankThrowsBecauseOfIt) {
    const ranks::Result result = ranks::launch(ranks(3), [](GPU& gpu) {
        try {
            std::vector<double> data(3);
            all_reduce(gpu, world(gpu), data, Units(gpu.rank() == 2 ? 6 : 5));
        } catch (const std::exception&) {
        }
        throw std::runtime_error("the data is wrong");
    });
    EXPECT_THAT(result.fault->message, HasSubstr("collectives do not match"));
}

TEST_P(FirstMistake, OnAStreamIsToldAsOneOfTheProgramIs) {
    const ranks::Result result = ranks::launch(ranks(2), [](GPU& gpu) {
        gpu.compute(Units(10));
        const Handle sent = gpu.on(Stream{1}, [&] { gpu.send(1 - gpu.rank(), Units(gpu.rank() == 0 ? 1 : 2)); });
        const Handle coming = gpu.on(Stream{1}, [&] { gpu.receive(1 - gpu.rank(), Units(5)); });
        gpu.wait(sent);
        gpu.wait(coming);
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_THAT(result.fault->message,
                HasSubstr("rank 0, op 2: receive from 1 expects 5 units\n  rank 1 sent 2 units at 1 s"));
}

// A network priced in bytes has no price for units.
TEST_P(FirstMistake, OnAStreamMayBeWhatTheNetworkHasNoPriceFor) {
    auto options = ranks(2);
    options.cluster = uniform({.latency = std::chrono::seconds(1), .bandwidth = Bandwidth{1'000'000'000}});
    const ranks::Result result = ranks::launch(options, [](GPU& gpu) {
        const Handle sent = gpu.on(Stream{1}, [&] { gpu.send(1 - gpu.rank(), Units(5)); });
        gpu.wait(sent);
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_THAT(result.fault->message,
                HasSubstr("rank 0, op 0: send 5 units to 1 at 0 s: profile uniform has no price for "
                          "units of data"));
}

TEST_P(FirstMistake, MayBeMoreMemoryThanCanBeCounted) {
    const ranks::Result result = ranks::launch(ranks(2), [](GPU& gpu) {
        for (int i = 0; i < 2 && gpu.rank() == 1; ++i) {
            gpu.allocate("weights", Bytes(std::numeric_limits<std::int64_t>::max()));
        }
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_EQ(result.fault->message, "rank 1 allocates at 0 s more memory than 64 bits can count");
}

// An exception that a rank throws after its mistake is not reported.
TEST_P(FirstMistake, OfARankIsToldThoughTheProcessEndsBecauseOfIt) {
    const ranks::Result result = ranks::launch(ranks(3), [](GPU& gpu) {
        gpu.compute(Units(10));
        if (gpu.rank() == 1) {
            gpu.release("never held", Units(1));
            throw std::runtime_error("gave up");
        }
        gpu.barrier();
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_THAT(result.fault->message, HasSubstr("rank 1 frees at 1 s 1 unit more than it has allocated"));
}

}  // namespace
