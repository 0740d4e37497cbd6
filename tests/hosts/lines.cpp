// The lines between ranks and their supervisor: rings and lent descriptors, whatever the other end does with them.
#include "ranks/process/lines.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace {

using sim::ranks::LineEnd;
using sim::ranks::Lines;

// Sends one byte and these descriptors, as a rank might that writes to its line directly.
void send_descriptors(int line, const std::vector<int>& descriptors) {
    std::array<char, 1> byte{};
    std::array<char, 256> space{};
    iovec piece{.iov_base = byte.data(), .iov_len = byte.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size() * sizeof(int));
    ASSERT_EQ(sendmsg(line, &message, 0), 1);
}

bool is_readable(int descriptor) {
    pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
    return poll(&one, 1, 0) == 1;
}

std::ptrdiff_t open_descriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

// Closes the descriptors given to the supervisor; returns the ranks that gave them.
std::vector<int> ranks_that_gave(Lines& lines) {
    std::vector<int> ranks;
    lines.hear([&](int rank, int descriptor) {
        ranks.push_back(rank);
        close(descriptor);
    });
    return ranks;
}

TEST(Lines, AreReadableWhenARankRingsUntilItIsHeard) {
    Lines lines(2);
    lines.open(0);
    lines.open(1);
    EXPECT_FALSE(is_readable(lines.descriptor()));
    LineEnd(lines.end_of_rank(1)).ring();
    EXPECT_TRUE(is_readable(lines.descriptor()));
    EXPECT_TRUE(ranks_that_gave(lines).empty());
    EXPECT_FALSE(is_readable(lines.descriptor()));
}

TEST(Lines, OfARankThatRingsWithoutEndAreHeardAgainAfterTheOthers) {
    Lines lines(2);
    lines.open(0);
    lines.open(1);
    constexpr std::array<char, 1000> rings{};  // one look reads 8 times 64 of these
    ASSERT_EQ(send(lines.end_of_rank(0), rings.data(), rings.size(), 0), 1000);
    ASSERT_TRUE(LineEnd(lines.end_of_rank(1)).give(lines.descriptor()));
    EXPECT_EQ(ranks_that_gave(lines), std::vector<int>{1});
    EXPECT_TRUE(is_readable(lines.descriptor()));
    ranks_that_gave(lines);
    EXPECT_FALSE(is_readable(lines.descriptor()));
}

TEST(Lines, OfARankThatIsGoneAreNotWatchedAnyMore) {
    Lines lines(1);
    lines.open(0);
    ASSERT_TRUE(LineEnd(lines.end_of_rank(0)).give(lines.descriptor()));
    lines.close_end_of_rank(0);
    EXPECT_EQ(ranks_that_gave(lines), std::vector<int>{0});  // given before it exited
    EXPECT_FALSE(is_readable(lines.descriptor()));
    EXPECT_FALSE(lines.lend(0, 0, lines.descriptor()));
}

// Linux reports "connection reset" if a rank exits without having read everything sent to it.
TEST(Lines, OfARankThatIsGoneWithoutHavingReadItsLineAreClosedAsWell) {
    const std::ptrdiff_t before = open_descriptors();
    {
        Lines lines(2);
        lines.open(0);
        ASSERT_TRUE(lines.lend(0, 1, lines.descriptor()));
        ASSERT_TRUE(LineEnd(lines.end_of_rank(0)).give(lines.descriptor()));
        lines.close_end_of_rank(0);
        EXPECT_EQ(ranks_that_gave(lines), std::vector<int>{0});  // given before it exited
        EXPECT_FALSE(is_readable(lines.descriptor()));
        EXPECT_FALSE(lines.lend(0, 1, lines.descriptor()));
        lines.hear(0, [](int, int) { FAIL() << "nothing can come any more"; });
    }
    EXPECT_EQ(open_descriptors(), before);
}

// A lent descriptor comes first: a reader takes no more than the one message that it waits for.
TEST(ALineEnd, HasWhatWasLentBeforeItsSupervisorWent) {
    int end = -1;
    {
        Lines lines(1);
        lines.open(0);
        end = dup(lines.end_of_rank(0));
        LineEnd(end).ring();  // never heard
        ASSERT_TRUE(lines.lend(0, 0, lines.descriptor()));
    }
    const auto lent = LineEnd(end).next_lent();
    ASSERT_TRUE(lent);
    close(lent->descriptor);
    EXPECT_FALSE(LineEnd(end).next_lent()) << "the connection is reset";
    EXPECT_FALSE(LineEnd(end).next_lent()) << "and closed";
    close(end);
}

TEST(Lines, LendDescriptorsUntilTheyAreFull) {
    Lines lines(2);
    lines.open(0);
    ASSERT_TRUE(lines.lend(0, 1, lines.descriptor()));
    const auto lent = LineEnd(lines.end_of_rank(0)).next_lent();
    ASSERT_TRUE(lent);
    EXPECT_EQ(lent->of, 1);
    close(lent->descriptor);
    constexpr int far_more_than_fit = 100'000;
    int fit = 0;
    while (fit < far_more_than_fit && lines.lend(0, 1, lines.descriptor())) {
        ++fit;
    }
    EXPECT_LT(fit, far_more_than_fit);
}

// If kept, each of them would stay open for the rest of the run.
TEST(Lines, KeepNoneOfSeveralDescriptorsThatComeAtOnce) {
    Lines lines(1);
    lines.open(0);
    const std::ptrdiff_t before = open_descriptors();
    const int any = lines.descriptor();
    for (int i = 0; i < 4; ++i) {
        send_descriptors(lines.end_of_rank(0), {any, any});
        send_descriptors(lines.end_of_rank(0), {any, any, any, any, any});
    }
    EXPECT_TRUE(ranks_that_gave(lines).empty());
    EXPECT_EQ(open_descriptors(), before);
}

TEST(ALineEnd, TakesNothingElseThanADescriptorOfARank) {
    Lines lines(1);
    lines.open(0);
    const LineEnd rank(lines.end_of_rank(0));
    const int supervisor = lines.ends_of_supervisor().front();
    ASSERT_EQ(send(supervisor, "hello", 4, 0), 4);  // as long as a rank number, without a descriptor
    EXPECT_FALSE(rank.next_lent());
    const std::ptrdiff_t before = open_descriptors();
    send_descriptors(supervisor, {supervisor});  // a descriptor without a rank
    EXPECT_FALSE(rank.next_lent());
    EXPECT_EQ(open_descriptors(), before);
    fcntl(lines.end_of_rank(0), F_SETFL, O_NONBLOCK);  // a program may do this; then nothing is lent
    EXPECT_FALSE(rank.next_lent());
}

TEST(ALineEnd, KnowsThatThereIsNoSupervisorAnyMore) {
    int end = -1;
    {
        Lines lines(1);
        lines.open(0);
        end = dup(lines.end_of_rank(0));
    }
    EXPECT_FALSE(LineEnd(end).next_lent());
    EXPECT_FALSE(LineEnd(end).give(end));
    LineEnd(end).ring();  // reaches no one
    close(end);
}

// While this object lives, a signal arrives every millisecond; the third performs the action that the test waits for.
class Alarms {
public:
    explicit Alarms(void (*third)()) {
        count = 0;
        at_the_third = third;
        struct sigaction mine {};
        mine.sa_handler = on_alarm;  // without SA_RESTART
        sigaction(SIGALRM, &mine, &before_);
        constexpr itimerval each_millisecond{.it_interval = {0, 1000}, .it_value = {0, 1000}};
        setitimer(ITIMER_REAL, &each_millisecond, nullptr);
    }
    ~Alarms() {
        constexpr itimerval never{};
        setitimer(ITIMER_REAL, &never, nullptr);
        sigaction(SIGALRM, &before_, nullptr);
    }
    Alarms(const Alarms&) = delete;
    Alarms& operator=(const Alarms&) = delete;

private:
    static void on_alarm(int) {
        count = count + 1;
        if (count == 3) {
            at_the_third();
        }
    }
    static inline volatile std::sig_atomic_t count = 0;
    static inline void (*at_the_third)() = nullptr;
    struct sigaction before_ {};
};

// State that the signal handlers use.
Lines* watched_lines = nullptr;
int full_line = -1;

TEST(ALineEnd, WaitsForWhatIsLentThroughSignals) {
    Lines lines(1);
    lines.open(0);
    watched_lines = &lines;
    const Alarms alarms([] { watched_lines->lend(0, 0, watched_lines->descriptor()); });
    const auto lent = LineEnd(lines.end_of_rank(0)).next_lent();
    ASSERT_TRUE(lent);
    close(lent->descriptor);
}

TEST(ALineEnd, WaitsForRoomThroughSignals) {
    Lines lines(1);
    lines.open(0);
    full_line = lines.ends_of_supervisor().front();
    const int rank = lines.end_of_rank(0);
    while (send(rank, "full", 1, MSG_DONTWAIT) == 1) {
    }
    const Alarms alarms([] {
        std::array<char, 4096> away{};
        while (recv(full_line, away.data(), away.size(), MSG_DONTWAIT) > 0) {
        }
    });
    EXPECT_TRUE(LineEnd(rank).give(rank));
}

TEST(Lines, SayWhatTheMachineRefuses) {
    const auto refusal_with = [](rlim_t files, auto what) -> std::string {
        rlimit before{};
        getrlimit(RLIMIT_NOFILE, &before);
        const rlimit low{.rlim_cur = files, .rlim_max = before.rlim_max};
        std::string said;
        setrlimit(RLIMIT_NOFILE, &low);
        try {
            what();
        } catch (const std::system_error& error) {
            said = error.what();
        }
        setrlimit(RLIMIT_NOFILE, &before);
        return said;
    };
    EXPECT_EQ(refusal_with(3, [] { Lines{1}; }), "cannot watch the lines of ranks: Too many open files");
    Lines lines(1);
    EXPECT_EQ(refusal_with(3, [&] { lines.open(0); }), "cannot open the line of a rank: Too many open files");
    Lines unwatched(1);
    close(unwatched.descriptor());
    EXPECT_EQ(refusal_with(1'000, [&] { unwatched.open(0); }), "cannot watch the line of a rank: Invalid argument");
}

TEST(CloseAll, ClosesNeighboursAndOthersAndNothingBeside) {
    std::vector<int> open;
    for (int i = 0; i < 6; ++i) {
        open.push_back(dup(0));
    }
    const auto is_open = [](int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; };
    sim::ranks::close_all({open[4], -1, open[1], open[2]});
    for (const std::size_t closed : {1U, 2U, 4U}) {
        EXPECT_FALSE(is_open(open[closed])) << closed;
    }
    for (const std::size_t kept : {0U, 3U, 5U}) {
        EXPECT_TRUE(is_open(open[kept])) << kept;
    }
    sim::ranks::close_all({open[0], open[3], open[5]});
    sim::ranks::close_all({});
    sim::ranks::close_all({-1});
    EXPECT_FALSE(is_open(open[5]));
}

}  // namespace
