// Every rank has its own line to the supervisor, a pair of connected sockets: it rings through it, and memory that a
// rank lends to others is passed through it as a descriptor.
//
// No two ranks share a descriptor or its state, so a rank can neither intercept another's ring nor keep the supervisor
// waiting: the supervisor never waits for a single line, but for all of them in one place.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace sim::ranks {

// The supervisor's ends.
class Lines {
public:
    // Throws std::system_error if the machine refuses.
    explicit Lines(int ranks);
    ~Lines();
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    // To be called before the rank is forked, for one rank at a time. Throws std::system_error.
    void open(int rank);
    int end_of_rank(int rank) const { return theirs_[static_cast<std::size_t>(rank)]; }
    // To be called after the fork, so that the line closes when the rank is gone.
    void close_end_of_rank(int rank);
    // Called in a rank: all descriptors that it has inherited and should not have.
    std::vector<int> ends_of_supervisor() const;

    // Readable when a rank rings.
    int descriptor() const { return watched_; }
    // Takes ownership of the descriptor.
    using Given = std::function<void(int rank, int descriptor)>;
    // Handles rings, at most a few per rank; descriptors given to the supervisor come first.
    void hear(const Given& given);
    void hear(int rank, const Given& given);
    // Lends the rank `to` a descriptor of the memory of `of`. False: it was not delivered.
    bool lend(int to, int of, int descriptor);

private:
    void stop_watching(int rank);

    int watched_ = -1;  // an epoll over all lines
    std::vector<int> ours_;
    std::vector<int> theirs_;
};

// The rank's end.
class LineEnd {
public:
    explicit LineEnd(int descriptor) : descriptor_(descriptor) {}

    void ring() const;
    // Gives the descriptor to the supervisor as well. False: it was not delivered.
    bool give(int descriptor) const;
    struct Lent {
        int of = -1;          // rank that owns the memory
        int descriptor = -1;  // -1: this process has reached its limit of open files
    };
    // Waits for the next. Empty: the supervisor is gone.
    std::optional<Lent> next_lent() const;

private:
    int descriptor_;
};

// Closes them all, with few system calls if they are consecutive.
void close_all(const std::vector<int>& descriptors);

}  // namespace sim::ranks
