#include "libsim/predict/folded/stage_clock.hpp"

#include <algorithm>

namespace sim::predict {

void StageClock::execute(const TimedPiece& piece) {
    using Kind = TimedPiece::Kind;
    switch (piece.kind) {
        case Kind::compute: compute(piece.time); break;
        case Kind::stream: stream(piece.time); break;
        case Kind::gather:
            stream(piece.time);
            gathers_.emplace_back(piece.bucket, stream_);
            break;
        case Kind::gathered: wait_for_gather(piece.bucket); break;
        case Kind::streamed: wait_until(stream_); break;
        case Kind::collect:
        case Kind::at_the_ends:
        case Kind::everywhere: now_ = later(now_, piece.time); break;
    }
}

void StageClock::compute(Duration time) {
    if (slow_ != Pace{1, 1}) {
        time = time_for(time.count(), slow_);
    }
    // Nearly always the stream is done, and the whole computation runs at full speed.
    if (busy_.empty() || busy_.back().end <= now_) {
        now_ = later(now_, time);
        return;
    }
    now_ = kernel::stretched_end(now_, time, beside_, busy_);
    busy_.forget_until(now_);
}

void StageClock::stream(Duration time) {
    const Time begin = std::max(stream_, now_);
    stream_ = later(begin, time);
    if (slows_) {
        busy_.forget_until(now_);
        busy_.note(begin, stream_);
    }
}

void StageClock::wait_for_gather(const training::GradientBucket* bucket) {
    const auto gather =
        std::find_if(gathers_.begin(), gathers_.end(), [&](const auto& each) { return each.first == bucket; });
    wait_until(gather->second);
    gathers_.erase(gathers_.begin(), gather + 1);  // those before it have completed, too
}

bool StageClock::state(Time origin, std::vector<std::int64_t>& state) const {
    const auto add = [&](Time time) { state.push_back((time - origin).count()); };
    add(now_);
    // How long the card or the stream has been free has no effect on the future, so it must not make two states differ.
    add(std::max(card_, now_));
    add(std::max(stream_, now_));
    const auto place_of_count = state.size();
    state.push_back(0);
    for (const kernel::Interval& part : busy_) {
        if (part.end > now_) {
            add(std::max(part.begin, now_));
            add(part.end);
            ++state[place_of_count];
        }
    }
    return gathers_.empty();
}

void StageClock::move_on(Duration by) {
    kernel::Intervals busy;
    for (const kernel::Interval& part : busy_) {
        busy.note(later(part.begin, by), later(part.end, by));
    }
    busy_ = std::move(busy);
    for (Time* time : {&now_, &card_, &stream_}) {
        *time = later(*time, by);
    }
}

}  // namespace sim::predict
