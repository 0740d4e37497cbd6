// A narration tells the story of a run, line by line, as its ranks would tell it:
//
//      0.000s [PID 4711] Rank 0: Starting compute: Process item 0 (20 units)
//      2.000s [PID 4711] Rank 0: Finished compute: Process item 0 (took 2.000s)
//
// Lines are ordered by simulated time, then rank, then program order. A live narration prints a line as it happens: at
// the same instant, first what ends and then what begins; the line of a rank that lags behind the wall clock comes
// late.
#pragma once

#include "libsim/report/timeline.hpp"
#include "libsim/trace/span.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sim::scenarios {

// "62.5 units", "1000 bytes".
std::string amount_text(Measure measure, std::int64_t amount);

struct NarrationOptions {
    std::function<Duration(const Span&)> acknowledgement;  // the part of a receive that is not waiting
    bool everything = false;                               // otherwise the first 200 and the last 100 of more than 400
                                                           // lines
    bool live = false;                 // in step with the wall clock: an op is added once it has begun
    std::function<int(int rank)> pid;  // called when a line is printed
    std::function<void(const std::string&)> tell;
};

class Narration {
public:
    explicit Narration(NarrationOptions options) : options_(std::move(options)) {}

    void add(const Span& span);
    // Prints the lines up to `now`, and forgets them. Live only: no line is left out.
    void tell_until(Time now);
    // Prints all remaining lines. If lines are left out, one line says how many.
    void tell_all();

private:
    enum class Phase : std::uint8_t { begin, end };
    struct Line {
        Time at;
        Span span;
        Phase phase = Phase::begin;

        bool operator<(const Line& other) const;
    };

    void push(const Line& line);
    void drop_the_middle();
    void tell(const Line& line) const;
    std::string text(const Line& line) const;
    std::string what_happens(const Line& line) const;

    NarrationOptions options_;
    report::Labels labels_;
    std::vector<Line> lines_;
    std::size_t dropped_ = 0;  // between the first and the last of lines_
};

}  // namespace sim::scenarios
