// Ranks that attack the others with everything a process can do to its own memory and descriptors: innocent ranks are
// neither harmed nor blamed, and the run does not hang.
#include "tests/support/own_mappings.hpp"
#include "tests/support/random.hpp"
#include "tests/support/rank_processes.hpp"
#include "tests/support/soak.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <csetjmp>
#include <csignal>
#include <string>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

// A SIGBUS beyond the end of memory ends the attack, not the process.
thread_local sigjmp_buf after_fault;
extern "C" void on_fault(int) {
    siglongjmp(after_fault, 1);
}

void scribble(void* at, std::size_t bytes, Random& random) {
    std::signal(SIGSEGV, on_fault);
    std::signal(SIGBUS, on_fault);
    auto* const words = static_cast<volatile std::uint64_t*>(at);
    if (sigsetjmp(after_fault, 1) == 0) {
        for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i) {
            words[i] = static_cast<std::uint64_t>(random.below(1 << 30)) << 20U;
        }
    }
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGBUS, SIG_DFL);
}

// Grows every shared mapping and scribbles over the memory beyond its original end.
void grow_mappings(Random& random) {
    constexpr std::size_t far = 64U << 20U;
    for (const Mapped& mapped : shared_mappings()) {
        void* const grown = mremap(reinterpret_cast<void*>(mapped.begin), 0, far, MREMAP_MAYMOVE);
        if (grown == MAP_FAILED) {
            continue;
        }
        mprotect(grown, far, PROT_READ | PROT_WRITE);
        scribble(static_cast<std::byte*>(grown) + mapped.bytes, far - mapped.bytes, random);
    }
}

void write_what_is_read_only(Random& random) {
    for (const Mapped& mapped : shared_mappings()) {
        void* const at = reinterpret_cast<void*>(mapped.begin);
        if (mapped.bytes <= 4096 && mprotect(at, mapped.bytes, PROT_READ | PROT_WRITE) == 0) {
            scribble(at, mapped.bytes, random);
        }
    }
}

// Abuses every descriptor above the standard ones: makes it blocking, drains, fills, maps and shuts it down.
void turn_descriptors(Random& random) {
    for (int descriptor = 3; descriptor < 200; ++descriptor) {
        const int flags = fcntl(descriptor, F_GETFL);
        if (flags < 0) {
            continue;
        }
        std::array<char, 4096> bytes{};
        for (int i = 0; i < 100; ++i) {
            [[maybe_unused]] const ssize_t got = recv(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
            [[maybe_unused]] const ssize_t sent = send(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
        }
        fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
        if (ftruncate(descriptor, 0) == 0) {
            continue;
        }
        constexpr std::size_t far = 1U << 20U;
        void* const at = mmap(nullptr, far, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        if (at != MAP_FAILED) {
            scribble(at, far, random);
        }
    }
}

// Passes short and long payloads around the ring, checked on arrival. Returns the number of wrong ones.
int pass_around(GPU& gpu, int rounds) {
    const int n = gpu.world_size();
    int wrong = 0;
    for (int i = 0; i < rounds; ++i) {
        for (const std::size_t count : {10U, 20'000U}) {
            const std::vector<int> data(count, gpu.rank() + i);
            gpu.send((gpu.rank() + 1) % n, data, "", Units(1));
            std::vector<int> came(count);
            gpu.receive((gpu.rank() + n - 1) % n, std::span(came), "", Units(1));
            wrong += came == std::vector<int>(count, (gpu.rank() + n - 1) % n + i) ? 0 : 1;
        }
        gpu.now();
    }
    return wrong;
}

using Attack = void (*)(Random&);
constexpr std::array<Attack, 3> attacks{grow_mappings, write_what_is_read_only, turn_descriptors};

TEST(Attackers, HurtNobodyElseAndKeepNobodyWaiting) {
    const Census before;
    constexpr int ranks_of_run = 4;
    for (int trial = 0; trial < times(60, 1000); ++trial) {
        const int attacker = trial % ranks_of_run;
        const auto result = ranks::launch({.ranks = ranks_of_run, .watchdog = 5s}, [&](GPU& gpu) {
            int wrong = pass_around(gpu, 2);
            if (gpu.rank() == attacker) {
                Random random(static_cast<std::uint64_t>(trial));
                attacks[static_cast<std::size_t>(trial / ranks_of_run) % attacks.size()](random);
            }
            wrong += pass_around(gpu, 5);
            if (wrong > 0 && gpu.rank() != attacker && gpu.rank() != (attacker + 1) % ranks_of_run) {
                throw std::runtime_error("other data than was sent by one who is innocent");
            }
        });
        if (!result.ok()) {
            ASSERT_EQ(result.fault->rank, attacker) << "trial " << trial << ": " << result.fault->message;
        }
        ASSERT_NE(result.exit_code(), 5) << "trial " << trial << ": " << result.fault->message;
    }
    EXPECT_EQ(Census{}, before);
}

// The attacker's own queue is full of nonsense, or it stops midway: it is named, and no other rank.
TEST(Attackers, ThatScribbleOverAllThatTheyCanReachAreNamed) {
    for (int trial = 0; trial < times(30, 10'000); ++trial) {
        const int attacker = trial % 3;
        const auto result = ranks::launch({.ranks = 3, .watchdog = 300ms}, [&](GPU& gpu) {
            pass_around(gpu, 1);
            if (gpu.rank() == attacker) {
                Random random(static_cast<std::uint64_t>(trial));
                for (const Mapped& mapped : shared_mappings()) {
                    void* const at = reinterpret_cast<void*>(mapped.begin);
                    mprotect(at, mapped.bytes, PROT_READ | PROT_WRITE);
                    scribble(at, std::min<std::size_t>(mapped.bytes, 1U << 20U), random);
                }
            }
            pass_around(gpu, 5);
        });
        ASSERT_FALSE(result.ok());
        ASSERT_EQ(result.fault->rank, attacker) << "trial " << trial << ": " << result.fault->message;
        ASSERT_TRUE(result.exit_code() == 4 || result.exit_code() == 5) << result.fault->message;
    }
}

// A rank and the others share only memory that was lent.
TEST(Attackers, HaveNothingOfOthersThatTheyCouldTurn) {
    const auto result = ranks::launch({.ranks = 8}, [](GPU& gpu) {
        gpu.barrier();
        std::size_t writable = 0;
        std::FILE* maps = std::fopen("/proc/self/maps", "r");
        char line[512];
        while (std::fgets(line, sizeof line, maps) != nullptr) {
            writable += std::string_view(line).find("rw-s") != std::string_view::npos ? 1U : 0U;
        }
        std::fclose(maps);
        gpu.report("writable", static_cast<double>(writable));
        std::size_t sockets = 0;
        for (int descriptor = 0; descriptor < 1000; ++descriptor) {
            struct stat what {};
            sockets += fstat(descriptor, &what) == 0 && S_ISSOCK(what.st_mode) ? 1U : 0U;
        }
        gpu.report("sockets", static_cast<double>(sockets));
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    for (const auto& [rank, count] : result.reports.at("writable")) {
        EXPECT_EQ(count.front(), 2) << "its queues and the flags, of rank " << rank;
    }
    for (const auto& [rank, count] : result.reports.at("sockets")) {
        EXPECT_EQ(count.front(), result.reports.at("sockets").at(0).front()) << "rank " << rank;
    }
}

}  // namespace
