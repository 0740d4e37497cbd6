// A joined timeline combines the lives of a run into one timeline: their spans and log lines under the rank numbers of
// the first life, cut off where a life ended, and the time between lives.
//
// Spans before the first time at which a rank may die are passed on at once, the rest when their life has ended.
#pragma once

#include "libsim/trace/span.hpp"
#include "libsim/trace/timeline_hash.hpp"
#include "ranks/launch.hpp"

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace sim::ranks {

class JoinedTimeline {
public:
    // Passes spans and lines on to the sinks of `options`, which must outlive it.
    explicit JoinedTimeline(const LaunchOptions& options);

    // `places` are those of its ranks, none of which dies before `first_death`.
    void begin_life(std::vector<int> places, Time begin, Time first_death);
    void add(const Span& span);
    void add(const LogLine& line);
    // Drops what a rank began at its time in `limits` or later and ends there what was in progress; subtracts both from
    // the ranks' `totals`.
    void end_life(const std::vector<Time>& limits, std::vector<RankTotals>& totals);
    // Nothing runs in this place during that time.
    void add_down_time(int place, const char* what, Time begin, Time end);
    // The end of the last span in that place.
    Time last_end(int place) const { return last_end_[static_cast<std::size_t>(place)]; }

    std::string hash();

private:
    void pass_on(const Span& span);

    const LaunchOptions* options_;
    std::optional<TimelineHash> hash_;
    SpanSink sink_;
    std::set<std::string> labels_;                                     // of all spans, because those of a life end with
                                                                       // it
    std::unordered_map<const std::string*, const std::string*> kept_;  // the labels of this life
    std::vector<std::uint32_t> ops_before_;                            // by place: in earlier lives
    std::vector<Time> last_end_;                                       // by place
    std::vector<int> places_;                                          // of the ranks of this life
    Time begin_;
    Time first_death_;
    std::vector<bool> holds_;  // by place: a span is held, and therefore all that follow
    std::vector<Span> held_;
    std::vector<LogLine> held_lines_;
};

}  // namespace sim::ranks
