#include "ranks/process/lines.hpp"

#include "ranks/process/sealed_memory.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

namespace sim::ranks {

namespace {

// One message on a line: some bytes, and perhaps a descriptor.
struct Message {
    std::array<std::byte, 64> bytes{};
    std::size_t size = 0;
    Descriptor descriptor;
    bool cut = false;     // there was no room for the descriptors that came with it
    bool closed = false;  // no more messages will come
};

// The descriptor that came with a message. A rank may send several at once, which are all open in this process then:
// none of them is kept. Requires: the message was received; after a failed call, nothing in it is valid.
Descriptor descriptor_of(const msghdr& message) {
    const cmsghdr* const head = CMSG_FIRSTHDR(&message);
    if (head == nullptr || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) {
        return Descriptor();
    }
    std::vector<Descriptor> came;
    for (std::size_t at = CMSG_LEN(0); at < head->cmsg_len; at += sizeof(int)) {
        int number = -1;
        std::memcpy(&number, reinterpret_cast<const std::byte*>(head) + at, sizeof number);
        came.emplace_back(number);
    }
    return came.size() == 1 ? std::move(came.front()) : Descriptor();
}

bool send_with(int line, const void* data, std::size_t size, int descriptor, int flags) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
    iovec piece{.iov_base = const_cast<void*>(data), .iov_len = size};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    ssize_t sent = -1;
    do {
        sent = sendmsg(line, &message, flags | MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == static_cast<ssize_t>(size);
}

// Empty: there is none.
std::optional<Message> receive(int line, std::size_t most, int flags) {
    Message found;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
    iovec piece{.iov_base = found.bytes.data(), .iov_len = std::min(most, found.bytes.size())};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    ssize_t got = -1;
    do {
        got = recvmsg(line, &message, flags | MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN) {
        return std::nullopt;
    }
    // A rank killed before it has read all of its line leaves a reset connection (ECONNRESET), any other rank a closed
    // one: either way no more messages come.
    found.closed = got <= 0;
    if (!found.closed) {
        found.size = static_cast<std::size_t>(got);
        found.cut = (message.msg_flags & MSG_CTRUNC) != 0;
        found.descriptor = descriptor_of(message);
    }
    return found;
}

}  // namespace

Lines::Lines(int ranks)
    : watched_(epoll_create1(EPOLL_CLOEXEC)),
      ours_(static_cast<std::size_t>(ranks), -1),
      theirs_(static_cast<std::size_t>(ranks), -1) {
    if (watched_ < 0) {
        throw std::system_error(errno, std::generic_category(), "cannot watch the lines of ranks");
    }
}

Lines::~Lines() {
    for (const std::vector<int>& ends : {std::vector{watched_}, ours_, theirs_}) {
        close_all(ends);
    }
}

void Lines::open(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throw std::system_error(errno, std::generic_category(), "cannot open the line of a rank");
    }
    ours_[index] = ends[0];
    theirs_[index] = ends[1];
    epoll_event event{.events = EPOLLIN, .data = {.u32 = static_cast<std::uint32_t>(rank)}};
    if (epoll_ctl(watched_, EPOLL_CTL_ADD, ours_[index], &event) != 0) {
        throw std::system_error(errno, std::generic_category(), "cannot watch the line of a rank");
    }
}

void Lines::close_end_of_rank(int rank) {
    close(std::exchange(theirs_[static_cast<std::size_t>(rank)], -1));
}

std::vector<int> Lines::ends_of_supervisor() const {
    std::vector<int> all = ours_;
    all.push_back(watched_);
    std::erase(all, -1);
    return all;
}

void Lines::hear(const Given& given) {
    constexpr std::size_t most = 64;  // the rest stays readable
    std::array<epoll_event, most> ready{};
    const int count = epoll_wait(watched_, ready.data(), most, 0);
    for (int i = 0; i < count; ++i) {
        hear(static_cast<int>(ready[static_cast<std::size_t>(i)].data.u32), given);
    }
}

void Lines::hear(int rank, const Given& given) {
    constexpr int at_most = 8;  // a line that rings endlessly waits for all others
    for (int i = 0; i < at_most; ++i) {
        std::optional<Message> message =
            receive(ours_[static_cast<std::size_t>(rank)], sizeof(Message::bytes), MSG_DONTWAIT);
        if (!message) {
            return;
        }
        if (message->descriptor) {
            given(rank, message->descriptor.release());
        }
        if (message->closed) {
            return stop_watching(rank);
        }
    }
}

void Lines::stop_watching(int rank) {
    epoll_ctl(watched_, EPOLL_CTL_DEL, ours_[static_cast<std::size_t>(rank)], nullptr);
}

bool Lines::lend(int to, int of, int descriptor) {
    // The supervisor waits for no rank: if the line is full, the data is copied instead.
    return send_with(ours_[static_cast<std::size_t>(to)], &of, sizeof of, descriptor, MSG_DONTWAIT);
}

void LineEnd::ring() const {
    const char ding = 1;
    [[maybe_unused]] const ssize_t sent = send(descriptor_, &ding, sizeof ding, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool LineEnd::give(int descriptor) const {
    const char here = 1;
    return send_with(descriptor_, &here, sizeof here, descriptor, 0);
}

std::optional<LineEnd::Lent> LineEnd::next_lent() const {
    Lent lent;
    std::optional<Message> message = receive(descriptor_, sizeof lent.of, 0);
    if (!message || message->size != sizeof lent.of || !(message->descriptor || message->cut)) {
        return std::nullopt;
    }
    std::memcpy(&lent.of, message->bytes.data(), sizeof lent.of);
    lent.descriptor = message->descriptor.release();
    return lent;
}

// Each rank closes what it inherited for all others, so the calls of all ranks together would be quadratic without
// ranges.
void close_all(const std::vector<int>& descriptors) {
    if (descriptors.empty()) {
        return;
    }
    const int most = *std::max_element(descriptors.begin(), descriptors.end());
    std::vector<bool> ours(static_cast<std::size_t>(most + 2));
    for (const int descriptor : descriptors) {
        if (descriptor >= 0) {
            ours[static_cast<std::size_t>(descriptor)] = true;
        }
    }
    for (std::size_t first = 0; first < ours.size(); ++first) {
        std::size_t end = first;
        while (ours[end]) {
            ++end;
        }
        if (end > first && close_range(static_cast<unsigned>(first), static_cast<unsigned>(end - 1), 0) != 0) {
            // close_range() needs Linux 5.9.
            for (std::size_t one = first; one < end; ++one) {
                close(static_cast<int>(one));
            }
        }
        first = end;
    }
}

}  // namespace sim::ranks
