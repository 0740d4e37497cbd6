// Errors in a program are found at once, explained, and end with the documented exit code, on both hosts.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "libsim/collectives/reduce_scatter.hpp"
#include "libsim/error.hpp"
#include "tests/support/rank_processes.hpp"

#include <chrono>
#include <csignal>
#include <stdexcept>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;

using Faults = OnBothHosts;
INSTANTIATE_TEST_SUITE_P(Hosts, Faults, both_hosts(), host_name);

ranks::Fault fault_of(const ranks::LaunchOptions& options, const ranks::Program& program, int exit_code) {
    const ranks::Result result = ranks::launch(options, program);
    EXPECT_EQ(result.exit_code(), exit_code);
    return result.fault.value_or(ranks::Fault{});
}

TEST_P(Faults, TwoRanksThatBothReceiveFirstAreACycle) {
    const auto fault = fault_of(
        ranks(2),
        [](GPU& gpu) {
            gpu.compute(Units(gpu.rank() == 0 ? 10 : 15));
            gpu.receive(1 - gpu.rank(), Units(1));
            gpu.send(1 - gpu.rank(), Units(1));
        },
        3);
    EXPECT_EQ(fault.message,
              "deadlock at 1.5 s: 2 of 2 ranks can never go on\n"
              "  rank 0, op 1: receive from 1   nothing was sent; rank 1 waits too\n"
              "  rank 1, op 1: receive from 0   nothing was sent; rank 0 waits too\n"
              "  cycle: 0 -> 1 -> 0");
}

TEST_P(Faults, AWrongTagIsExplainedByTheNearestTagThatWasSent) {
    const auto fault = fault_of(
        ranks(3),
        [](GPU& gpu) {
            if (gpu.rank() == 0) {
                gpu.send(1, Units(1), Tag{50});
                gpu.send(1, Units(1), Tag{5});
            } else if (gpu.rank() == 1) {
                gpu.receive(0, Units(1), Tag{7});
            }
        },
        3);
    EXPECT_EQ(fault.message,
              "deadlock at 0 s: 1 of 3 ranks can never go on\n"
              "  rank 1, op 0: receive from 0, tag 7   rank 0 sent tag 5 at 60 ms; did you mean 5?");
}

TEST_P(Faults, AWrongSourceIsExplainedByTheRankThatDidSend) {
    const auto fault = fault_of(
        ranks(3),
        [](GPU& gpu) {
            if (gpu.rank() == 0) {
                gpu.send(1, Units(1), Tag{7});
            } else if (gpu.rank() == 1) {
                gpu.receive(2, Units(1), Tag{7});
            }
        },
        3);
    EXPECT_THAT(fault.message, HasSubstr("receive from 2, tag 7   rank 0 sent tag 7 at 0 s; did you mean rank 0?"));
}

TEST_P(Faults, ARankThatFinishedTooEarlyIsNamed) {
    const auto fault = fault_of(
        ranks(2),
        [](GPU& gpu) {
            if (gpu.rank() == 1) {
                gpu.compute(Units(10));
                gpu.receive(0, Units(1));
            }
        },
        3);
    EXPECT_THAT(fault.message, HasSubstr("rank 1, op 1: receive from 0   nothing was sent; rank 0 has finished"));
}

TEST_P(Faults, AMemberThatSkipsACollectiveIsNamed) {
    const auto fault = fault_of(
        ranks(4),
        [](GPU& gpu) {
            if (gpu.rank() != 2) {
                all_reduce(gpu, world(gpu), Units(1));
            }
        },
        3);
    EXPECT_THAT(fault.message,
                HasSubstr("all-reduce of 1 unit   3 of 4 have come; missing: rank 2; rank 2 has finished"));
}

TEST_P(Faults, AnAsynchronousReceiveThatNobodyServesIsNamed) {
    const auto fault = fault_of(
        ranks(2),
        [](GPU& gpu) {
            if (gpu.rank() == 0) {
                gpu.wait(gpu.receive_async(1, "x", Units(1), Tag{3}));
            }
        },
        3);
    EXPECT_THAT(fault.message, HasSubstr("rank 0, op 1: wait for asynchronous receive from 1, tag 3"));
    const auto unjoined = fault_of(
        ranks(2),
        [](GPU& gpu) {
            if (gpu.rank() == 0) {
                gpu.receive_async(1, "x", Units(1));
            }
        },
        3);
    EXPECT_THAT(unjoined.message, HasSubstr("returned, but still waits for asynchronous receive from 1"));
}

TEST_P(Faults, TwoGroupsEnteredInDifferentOrderAreACycle) {
    const auto fault = fault_of(
        ranks(3),
        [](GPU& gpu) {
            const Group a = Group::of({0, 1, 2});
            const Group b = Group::of({0, 1});
            if (gpu.rank() == 0) {
                all_reduce(gpu, a, Units(1));
                all_reduce(gpu, b, Units(1));
            } else if (gpu.rank() == 1) {
                all_reduce(gpu, b, Units(1));
                all_reduce(gpu, a, Units(1));
            } else {
                all_reduce(gpu, a, Units(1));
            }
        },
        3);
    EXPECT_THAT(fault.message, HasSubstr("cycle: 0 -> 1 -> 0"));
}

TEST_P(Faults, CollectivesThatDisagreeOnKindSizeReductionRootOrFormAreMismatches) {
    struct Case {
        ranks::Program program;
        const char* says;
    };
    const Case cases[] = {
        {[](GPU& gpu) {
             gpu.rank() == 0 ? all_reduce(gpu, world(gpu), Units(5)) : reduce_scatter(gpu, world(gpu), Units(5));
         },
         "all-reduce of 5 units"},
        {[](GPU& gpu) { all_reduce(gpu, world(gpu), Units(gpu.rank() + 5)); }, "all-reduce of 6 units"},
        {[](GPU& gpu) { broadcast(gpu, world(gpu), gpu.rank(), Units(5)); }, "root 1"},
        {[](GPU& gpu) {
             std::vector<double> data(10);
             all_reduce(gpu, world(gpu), data, Units(5), gpu.rank() == 0 ? Reduction::sum : Reduction::max);
         },
         "max"},
        {[](GPU& gpu) {
             std::vector<double> data(10);
             gpu.rank() == 0 ? all_reduce(gpu, world(gpu), data, Units(5)) : all_reduce(gpu, world(gpu), Units(5));
         },
         "by size alone"},
        {[](GPU& gpu) {
             std::vector<double> doubles(10);
             std::vector<float> floats(10);
             gpu.rank() == 0 ? all_reduce(gpu, world(gpu), doubles, Units(5))
                             : all_reduce(gpu, world(gpu), floats, Units(5));
         },
         "elements of 4 B"},
    };
    for (const Case& c : cases) {
        const auto fault = fault_of(ranks(2), c.program, 3);
        EXPECT_THAT(fault.message, HasSubstr("collectives do not match in the world"));
        EXPECT_THAT(fault.message, HasSubstr(c.says));
    }
}

TEST_P(Faults, AReceiveOfAnotherSizeOrOtherDataIsAMismatch) {
    const auto sizes = fault_of(
        ranks(2), [](GPU& gpu) { gpu.rank() == 0 ? gpu.send(1, Units(5)) : gpu.receive(0, Units(6)); }, 3);
    EXPECT_EQ(sizes.message,
              "sizes do not match at 100 ms\n"
              "  rank 1, op 0: receive from 0 expects 6 units\n"
              "  rank 0 sent 5 units at 0 s");
    const auto data = fault_of(
        ranks(2),
        [](GPU& gpu) {
            std::vector<double> three(3);
            gpu.rank() == 0 ? gpu.send(1, std::vector<double>(2), "", Units(5))
                            : gpu.receive(0, std::span(three), "", Units(5));
        },
        3);
    EXPECT_THAT(data.message, HasSubstr("expects 24 B of data"));
    EXPECT_THAT(data.message, HasSubstr("sent 16 B of data"));
    const auto none = fault_of(
        ranks(2),
        [](GPU& gpu) {
            gpu.rank() == 0 ? gpu.send(1, std::vector<double>(2), "", Units(5)) : gpu.receive(0, Units(5));
        },
        3);
    EXPECT_THAT(none.message, HasSubstr("expects no data"));
}

TEST_P(Faults, ARankThatThrowsIsShownWithItsMessage) {
    const auto fault = fault_of(
        ranks(3),
        [](GPU& gpu) {
            gpu.compute(Units(20));
            if (gpu.rank() == 1) {
                throw std::runtime_error("the loss is not a number");
            }
            gpu.barrier();
        },
        4);
    EXPECT_EQ(fault.rank, 1);
    EXPECT_THAT(fault.message, HasSubstr("threw after op 0, at 2 s: the loss is not a number"));
}

TEST_P(Faults, WrongArgumentsThrowInTheRankAndSayWhatWouldBeRight) {
    struct Case {
        ranks::Program program;
        const char* says;
    };
    const Case cases[] = {
        {[](GPU& gpu) { gpu.send(4, Units(1)); }, "cannot send to rank 4: ranks are 0 to 1"},
        {[](GPU& gpu) { gpu.send(gpu.rank(), Units(1)); }, "cannot send to itself"},
        {[](GPU& gpu) { gpu.receive(-1, Units(1)); }, "ranks are 0 to 1"},
        {[](GPU& gpu) { gpu.send(1 - gpu.rank(), Units(-1)); }, "size of 0 or more"},
        {[](GPU& gpu) { gpu.compute(Units(-1)); }, "amount of 0 or more"},
        {[](GPU& gpu) { gpu.send(1 - gpu.rank(), Units(1), Tag{-4}); }, "a tag must be 0 or more, not -4"},
        {[](GPU& gpu) { gpu.wait(Handle{}); }, "a handle that none of its operations returned"},
        {[](GPU& gpu) { all_reduce(gpu, Group::of({1 - gpu.rank()}), Units(1)); }, "a group it is not in"},
        {[](GPU& gpu) { broadcast(gpu, world(gpu), 9, Units(1)); }, "is not in its group"},
        {[](GPU& gpu) { broadcast(gpu, world(gpu), -1, Units(1)); }, "is not in its group"},
        {[](GPU& gpu) { all_reduce(gpu, Group::strided(0, 1, 100'000), Units(1)); }, "ranks are 0 to 1"},
    };
    for (const Case& c : cases) {
        EXPECT_THAT(fault_of(ranks(2), c.program, 4).message, HasSubstr(c.says));
    }
}

TEST_P(Faults, OfManyRanksAreShownByTheOnesThatExplainTheOthers) {
    const auto fault = fault_of(
        ranks(64),
        [](GPU& gpu) {
            if (gpu.rank() == 63) {
                gpu.receive(0, Units(1), Tag{9});
            }
            gpu.barrier();
        },
        3);
    EXPECT_THAT(fault.message, HasSubstr("64 of 64 ranks can never go on\n  rank "));
    EXPECT_THAT(fault.message, HasSubstr("rank 63, op 0: receive from 0, tag 9"));
    EXPECT_THAT(fault.message, HasSubstr("… and 48 ranks more"));
    EXPECT_THAT(fault.message, HasSubstr("cycle: 0 -> 63 -> 0"));
}

TEST_P(Faults, LeaveWhatWasDoneBeforeInTheTrace) {
    const auto run = simulate(ranks(2), [](GPU& gpu) {
        gpu.compute("before", Units(10));
        gpu.receive(1 - gpu.rank(), Units(1));
    });
    ASSERT_EQ(run.spans[0].size(), 1U);
    EXPECT_EQ(run.span(0, 0).label, "before");
    EXPECT_EQ(run.result.ranks[0].compute, Duration{1s});
}

TEST_P(Faults, ARankThatIsStoppedMayStillLogInDestructorsOrCatchEverything) {
    struct LogsAtTheEnd {
        GPU* gpu;
        ~LogsAtTheEnd() {
            for (int i = 0; i < 100; ++i) {
                gpu->log("bye");
            }
        }
    };
    const auto in_destructors = fault_of(
        ranks(2),
        [](GPU& gpu) {
            const LogsAtTheEnd logs{&gpu};
            gpu.receive(1 - gpu.rank(), Units(1));
            gpu.now();
        },
        3);
    EXPECT_THAT(in_destructors.message, HasSubstr("deadlock"));
    const auto stubborn = fault_of(
        ranks(2),
        [](GPU& gpu) {
            for (;;) {
                try {
                    gpu.receive(1 - gpu.rank(), Units(1));
                    gpu.now();
                } catch (...) {
                    gpu.log("no");
                }
            }
        },
        3);
    EXPECT_THAT(stubborn.message, HasSubstr("deadlock"));
}

TEST_P(Faults, EveryRankHasItsOwnExceptionsInFlight) {
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        try {
            throw std::runtime_error(std::to_string(gpu.rank()));
        } catch (...) {
            gpu.compute(Units(gpu.rank()));
            gpu.now();
            try {
                std::rethrow_exception(std::current_exception());
            } catch (const std::runtime_error& error) {
                gpu.report("mine", std::stod(error.what()));
            }
        }
    });
    EXPECT_EQ(run.result.reports.at("mine").at(0).at(0), 0);
    EXPECT_EQ(run.result.reports.at("mine").at(1).at(0), 1);
}

TEST_P(Faults, AMessageOfTheWrongLengthIsGoneOnceItsReceiveHasThrown) {
    const auto run = simulate_well(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.send(1, std::vector<std::uint8_t>(5), "odd", Units(1));
            gpu.send(1, std::vector<double>{42}, "even", Units(1));
            return;
        }
        EXPECT_THROW(gpu.receive<double>(0), ProgramError);
        gpu.report("next", gpu.receive<double>(0));
    });
    EXPECT_EQ(run.result.reports.at("next").at(1), std::vector<double>{42});
}

TEST_P(Faults, CountsThatLeaveTheirRangeEndTheRun) {
    const auto program = [](GPU& gpu) {
        gpu.rank() == 0 ? gpu.send(1, Bytes(INT64_MAX)) : gpu.receive(0, Bytes(INT64_MAX));
        gpu.rank() == 0 ? gpu.send(1, Bytes(INT64_MAX)) : gpu.receive(0, Bytes(INT64_MAX));
    };
    const ranks::Fault fault = fault_of(ranks(2, uniform({})), program, 2);
    EXPECT_EQ(fault.message,
              fmt::format("rank {} after op 1, at 0 s: a rank sends more than 64 bits can count", fault.rank));
}

TEST_P(Faults, SimulatedTimeThatLeavesItsRangeEndsTheRunAndLeavesNoRank) {
    const auto century = [](GPU& gpu) {
        for (int i = 0; i < 100; ++i) {
            gpu.compute(Units(9e7));
        }
        gpu.barrier();
    };
    // 9e6 s each: op 1 would end at 18e6 s, beyond the limit of 2^63 ps = 9.22e6 s.
    const Census before;
    const ranks::Fault fault = fault_of(ranks(3), century, 2);
    EXPECT_EQ(fault.message,
              fmt::format("rank {} after op 0, at 9000000 s: simulated time left its range of 106 days", fault.rank));
    EXPECT_EQ(Census{}, before);
}

TEST(Launch, RefusesOptionsThatCannotBe) {
    const ranks::Program nothing = [](GPU&) {};
    EXPECT_THROW(ranks::launch({.ranks = 0}, nothing), std::invalid_argument);
    EXPECT_THROW(ranks::launch({.ranks = 1, .time_scale = -1}, nothing), std::invalid_argument);
    EXPECT_THROW(ranks::launch({.ranks = 1, .watchdog = 0ms}, nothing), std::invalid_argument);
}

}  // namespace
