// Ranks killed while they exchange data of any length: at any moment, the dead rank is named, no other is, and nothing
// is left behind.
#include "libsim/collectives/all_reduce.hpp"
#include "tests/support/random.hpp"
#include "tests/support/rank_processes.hpp"
#include "tests/support/soak.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <thread>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Pair;

// An array of `bytes` bytes of numbers.
std::vector<double> numbers_of(std::size_t bytes) {
    return std::vector<double>(std::max<std::size_t>(bytes / sizeof(double), 1), 1.0);
}

// One round of an exchange in which every rank sends and receives about the same amount of data.
void around_the_ring(GPU& gpu, std::span<double> data) {
    const int n = gpu.world_size();
    gpu.send((gpu.rank() + 1) % n, data, "data", Units(1));
    gpu.receive((gpu.rank() + n - 1) % n, data, "data", Units(1));
}

// Sends to the rank opposite, which answers without data: a request and its reply.
void with_an_answer(GPU& gpu, std::span<double> data) {
    const int n = gpu.world_size();
    const int other = gpu.rank() ^ 1;
    if (other >= n) {
        gpu.compute(Units(1));
    } else if (gpu.rank() < other) {
        gpu.send(other, data, "question", Units(1));
        gpu.receive(other, Units(1));
    } else {
        gpu.receive(other, data, "question", Units(1));
        gpu.send(other, Units(1));
    }
    gpu.now();
}

void summed_up(GPU& gpu, std::span<double> data) {
    all_reduce(gpu, world(gpu), data, Units(1));
}

using Exchange = void (*)(GPU&, std::span<double>);
constexpr std::array<Exchange, 3> exchanges{around_the_ring, with_an_answer, summed_up};

// The parameters of one trial.
struct Case {
    int ranks = 2;
    std::size_t bytes = 8;  // per message
    int victim = 0;
    int rounds = 0;                  // completed by the victim before it may be killed
    std::chrono::microseconds then;  // delay after these rounds
    Exchange exchange = around_the_ring;
};

// Message lengths of all powers of two from 8 B to 64 MiB are equally likely, as are 2 to 64 ranks; but long messages
// get few ranks, to fit into the memory of a small machine.
Case case_of(Random& random) {
    constexpr int longest = 26;             // 2^26 B are 64 MiB
    constexpr int most_in_all = 27;         // over all ranks
    const int doublings = random.below(6);  // of the 2 ranks
    Case drawn;
    drawn.ranks = std::min(64, (2 << doublings) + random.below(2 << doublings));
    const int power = 3 + random.below(std::min(longest, most_in_all - 1 - doublings) - 2);
    drawn.bytes = std::size_t{1} << static_cast<unsigned>(power);
    drawn.victim = random.below(drawn.ranks);
    drawn.rounds = random.below(4);
    drawn.then = std::chrono::microseconds(random.below(2'000));
    drawn.exchange = exchanges[static_cast<std::size_t>(random.below(exchanges.size()))];
    return drawn;
}

// The victim's progress, as seen by other processes.
struct Seen {
    std::atomic<int> pid;
    std::atomic<int> rounds;
    std::atomic<std::int64_t> killed_at;
};

// Describes the end of such a run; the killer process has ended by then, too.
std::string end_of(const Case& drawn, std::vector<double>& latencies) {
    const InSharedMemory<Seen> seen;
    const int killer = fork();
    if (killer == 0) {
        while (seen->pid == 0 || seen->rounds < drawn.rounds) {
            std::this_thread::sleep_for(50us);
        }
        std::this_thread::sleep_for(drawn.then);
        seen->killed_at = now_ns();
        kill(seen->pid, SIGKILL);
        _exit(0);
    }
    std::string end = "nothing";
    try {
        const auto result = ranks::launch({.ranks = drawn.ranks, .watchdog = 10min}, [&](GPU& gpu) {
            std::vector<double> data = numbers_of(drawn.bytes);
            for (int round = 0;; ++round) {
                if (gpu.rank() == drawn.victim) {
                    seen->rounds = round;
                    seen->pid = getpid();
                }
                drawn.exchange(gpu, data);
            }
        });
        latencies.push_back(static_cast<double>(now_ns() - seen->killed_at) * 1e-6);
        const std::string who = fmt::format("rank {} (pid {}) was killed by signal 9 ", drawn.victim, seen->pid.load());
        const bool is_named = result.fault && result.fault->rank == drawn.victim && result.fault->signal == SIGKILL &&
                              result.fault->message.starts_with(who);
        end = is_named && result.exit_code() == 4
                  ? "named, code 4"
                  : fmt::format("code {}: {}", result.exit_code(), result.fault ? result.fault->message : "no fault");
    } catch (const std::exception& error) {
        end = fmt::format("thrown: {}", error.what());
    }
    kill(killer, SIGKILL);
    waitpid(killer, nullptr, 0);
    return end;
}

TEST(DeathsInAnExchange, OfDataOfAnyLengthAreEachReportedWithTheirRankAndLeaveNothing) {
    constexpr unsigned far_too_long = 600;  // seconds until SIGALRM ends this program
    const Census before;
    Random random(17);
    std::vector<double> latencies;
    std::map<std::string, int> ends;
    const int kills = times(60, 2'000);
    for (int trial = 0; trial < kills; ++trial) {
        alarm(far_too_long);
        ends[end_of(case_of(random), latencies)] += 1;
    }
    alarm(0);
    EXPECT_THAT(ends, testing::ElementsAre(Pair("named, code 4", kills)));
    EXPECT_EQ(Census{}, before);
    ASSERT_FALSE(latencies.empty());
    std::sort(latencies.begin(), latencies.end());
    const auto at = [&](std::size_t percent) { return latencies[(latencies.size() - 1) * percent / 100]; };
    std::cout << fmt::format(
        "from the kill in an exchange to the end of the run: median {:.1f} ms, p99 {:.1f} ms, most {:.1f} ms\n", at(50),
        at(99), at(100));
}

// Forwards everything, and dies when it would read the numbers of an answer: the supervisor has lent it their memory,
// and the rank has not looked at its line.
class KilledBeforeItReads final : public Port {
public:
    explicit KilledBeforeItReads(Port& port) : Port(port.rank(), port.ranks()), port_(&port) {
        next_ = &slot_;
        end_ = next_ + 1;
    }
    Answer ask(Op op) override { return port_->ask(op); }
    Label intern(std::string_view text) override { return port_->intern(text); }
    GroupId number(const Group& group) override { return port_->number(group); }
    void write(std::span<const std::byte> payload) override { port_->write(payload); }
    void read(std::span<std::byte> /*payload*/) override { std::raise(SIGKILL); }
    std::vector<std::span<const std::byte>> gathered() override {
        std::raise(SIGKILL);
        return {};
    }
    void report(Label name, std::span<const double> values) override { port_->report(name, values); }

private:
    void make_room() override {
        port_->post(slot_);
        next_ = &slot_;
    }
    Op slot_;
    Port* port_;
};

TEST(DeathsInAnExchange, OfARankThatHasNotReadWhatItWasLentAreDeathsLikeAnyOther) {
    const Census before;
    for (const Exchange exchange : exchanges) {
        ranks::LaunchOptions options{.ranks = 4};
        options.port_between = [](Port& port) -> std::unique_ptr<Port> {
            return port.rank() == 1 ? std::make_unique<KilledBeforeItReads>(port) : nullptr;
        };
        const auto result = ranks::launch(options, [exchange](GPU& gpu) {
            std::vector<double> data(100'000, 1.0);
            for (;;) {
                exchange(gpu, data);
            }
        });
        ASSERT_EQ(result.exit_code(), 4) << result.fault->message;
        EXPECT_EQ(result.fault->rank, 1);
        EXPECT_EQ(result.fault->signal, SIGKILL);
        EXPECT_THAT(result.fault->message, HasSubstr("was killed by signal 9"));
    }
    EXPECT_EQ(Census{}, before);
}

}  // namespace
