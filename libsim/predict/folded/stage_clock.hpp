// A stage clock keeps the time of a folded stage: of its program, of the network card that its messages leave by, and
// of the stream of its gathers and reductions. It advances exactly as the simulator kernel advances a rank, to the
// picosecond.
//
// Durations do not depend on the start of a step: clocks that are later by the same time stay so. The future therefore
// depends only on state(), which is relative.
#pragma once

#include "libsim/kernel/parts/intervals.hpp"
#include "libsim/predict/folded/timed_pieces.hpp"
#include "libsim/units.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace sim::predict {

class StageClock {
public:
    // Computations take `slow` times as long, and `beside` times as long as that while the stream is busy.
    explicit StageClock(Pace beside, Pace slow = {1, 1})
        : beside_(beside), slow_(slow), slows_(beside.picoseconds > beside.amount) {}

    Time now() const { return now_; }
    Time end() const { return std::max({now_, card_, stream_}); }

    // The caller must handle the pieces in which stages meet.
    void execute(const TimedPieces& pieces) {
        for (const TimedPiece& piece : pieces) {
            execute(piece);
        }
    }
    void execute(const TimedPiece& piece);
    void wait_until(Time time) { now_ = std::max(now_, time); }
    // A message leaves after the previous one; the program continues. Returns the arrival time.
    Time send(Duration price) { return card_ = later(std::max(now_, card_), price); }
    void wait_for_sends() { wait_until(card_); }

    // Appends everything that determines the future of this stage, as times after `origin`. Returns false if gathers
    // that a later pass waits for are in progress, which the state does not capture.
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
    kernel::Intervals busy_;  // of the stream, from now on, if it slows down computation
    std::vector<std::pair<const training::GradientBucket*, Time>> gathers_;  // in progress
};

}  // namespace sim::predict
