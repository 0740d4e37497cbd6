// Every rank has a line of its own to the supervisor, a pair of connected sockets: it rings there, and memory that a
// rank lends to others goes through it as a descriptor.
//
// No two ranks share a descriptor or its state, so a rank can neither take another's ring nor keep the supervisor
// waiting: the supervisor never waits for a line, and waits for all of them in one place.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace sim::ranks {

// The supervisor's ends.
class Lines {
public:
    // Throws std::system_error where the machine refuses.
    explicit Lines(int ranks);
    ~Lines();
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    // Before the rank is forked, one after the other. Throws std::system_error.
    void open(int rank);
    int end_of_rank(int rank) const { return theirs_[static_cast<std::size_t>(rank)]; }
    // Once it has been forked: then a line is closed when its rank is gone.
    void close_end_of_rank(int rank);
    // In a rank: all that it has inherited and should not have.
    std::vector<int> ends_of_supervisor() const;

    // Readable when somebody rings.
    int descriptor() const { return watched_; }
    // Owns the descriptor from now on.
    using Given = std::function<void(int rank, int descriptor)>;
    // Takes rings, at most a few of each rank; what has been given to the supervisor comes first.
    void hear(const Given& given);
    void hear(int rank, const Given& given);
    // Lends the rank a descriptor of that rank's memory. False: it did not go through.
    bool lend(int to, int of, int descriptor);

private:
    void stop_watching(int rank);

    int watched_ = -1;  // an epoll of all lines
    std::vector<int> ours_;
    std::vector<int> theirs_;
};

// The rank's end.
class LineEnd {
public:
    explicit LineEnd(int descriptor) : descriptor_(descriptor) {}

    void ring() const;
    // The supervisor has the descriptor, too. False: it did not go through.
    bool give(int descriptor) const;
    struct Lent {
        int of = -1;          // whose memory
        int descriptor = -1;  // -1: this process has no room for it among its open files
    };
    // Waits for the next. Empty: there is no supervisor any more.
    std::optional<Lent> next_lent() const;

private:
    int descriptor_;
};

// Closes them all, in few steps where they are neighbours.
void close_all(const std::vector<int>& descriptors);

}  // namespace sim::ranks
