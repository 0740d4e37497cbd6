// A stage clock is the time of a folded stage: of its program, of the card that its messages leave by, and of the
// stream of its gathers and reductions. It moves as the kernel moves a rank's, picosecond by picosecond.
//
// Nothing depends on when a step begins: clocks that are later by the same time stay later by it. So what comes next
// follows from state() alone, which is relative.
#pragma once

#include "libsim/kernel/intervals.hpp"
#include "libsim/predict/folded/timed_pieces.hpp"
#include "libsim/units.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace sim::predict {

class StageClock {
public:
    // Computations take `slow` times as long, and `beside` times that while the stream is busy.
    explicit StageClock(Pace beside, Pace slow = {1, 1})
        : beside_(beside), slow_(slow), slows_(beside.picoseconds > beside.amount) {}

    Time now() const { return now_; }
    Time end() const { return std::max({now_, card_, stream_}); }

    // Pieces that stages meet in are the caller's.
    void carry_out(const TimedPieces& pieces) {
        for (const TimedPiece& piece : pieces) {
            carry_out(piece);
        }
    }
    void carry_out(const TimedPiece& piece);
    void wait_until(Time time) { now_ = std::max(now_, time); }
    // A message leaves when the one before it has; the program continues. Returns when it is there.
    Time send(Duration price) { return card_ = later(std::max(now_, card_), price); }
    void wait_for_sends() { wait_until(card_); }

    // Appends what tells the future of this stage from that of another one, as times after `origin`. False: gathers are
    // under way that a later pass waits for, which it does not tell.
    bool state(Time origin, std::vector<std::int64_t>& state) const;
    void move_on(Duration by);

private:
    void compute(Duration time);
    void stream(Duration time);
    void wait_for_gather(const training::GradientBucket* bucket);

    Time now_ = {};
    Time card_ = {};
    Time stream_ = {};
    Pace beside_;
    Pace slow_;
    bool slows_;
    kernel::Intervals busy_;  // the stream, from now on; where it slows computations down
    std::vector<std::pair<const training::GradientBucket*, Time>> gathers_;  // under way
};

}  // namespace sim::predict
