// Ranks that are killed while they exchange data of any length: by whom and in what moment ever, the one that died is
// named, nobody else is, and nothing is left.
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

// So many bytes, as numbers.
std::vector<double> numbers_of(std::size_t bytes) {
    return std::vector<double>(std::max<std::size_t>(bytes / sizeof(double), 1), 1.0);
}

// One round of an exchange in which every rank sends and receives so much, or about so much.
void around_the_ring(GPU& gpu, std::span<double> data) {
    const int n = gpu.world_size();
    gpu.send((gpu.rank() + 1) % n, data, "data", Units(1));
    gpu.receive((gpu.rank() + n - 1) % n, data, "data", Units(1));
}

// To the rank opposite, and an answer without data, as in a request and its reply.
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

// What happens in one trial.
struct Case {
    int ranks = 2;
    std::size_t bytes = 8;  // of each message
    int victim = 0;
    int rounds = 0;                  // of the victim's, before it may be killed
    std::chrono::microseconds then;  // how long after these
    Exchange exchange = around_the_ring;
};

// Of lengths from 8 B to 64 MiB all powers are as likely, and so are 2 to 64 ranks; but of long messages few ranks, for
// all that lies at once in the memory of a small machine.
Case case_of(Random& random) {
    constexpr int longest = 26;             // 2^26 B are 64 MiB
    constexpr int most_in_all = 27;         // of all ranks
    const int doublings = random.below(6);  // of 2 ranks
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

// How far the victim has come, as others see it.
struct Seen {
    std::atomic<int> pid;
    std::atomic<int> rounds;
    std::atomic<std::int64_t> killed_at;
};

// The end of such a run, as a sentence; the process that kills is gone then, too.
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
    constexpr unsigned far_too_long = 600;  // seconds; SIGALRM then ends this program: a bound on hanging, no measure
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

// Passes everything on, and is killed where the numbers of an answer would be read: the supervisor has lent the rank
// the memory that they are in, and the rank has not looked at its line.
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
