// A narration tells the story of a run, line by line, as its ranks would tell it:
//
//      0.000s [PID 4711] Rank 0: Starting compute: Process item 0 (20 units)
//      2.000s [PID 4711] Rank 0: Finished compute: Process item 0 (took 2.000s)
//
// In order of simulated time, then rank, then program. A live narration tells a line as it happens: of lines of one
// instant, first what ends and then what begins, and the line of a rank that is late by the wall's clock comes late.
#pragma once

#include "libsim/report/labels.hpp"
#include "libsim/trace/span.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sim::scenarios {

// "62.5 units", "1000 bytes".
std::string amount_text(Measure measure, std::int64_t amount);

struct NarrationOptions {
    std::function<Duration(const Span&)> acknowledgement;  // what of a receive is no waiting
    bool everything = false;                               // else the first 200 and the last 100 of more than 400 lines
    bool live = false;                 // in step with the wall's clock: an op is added once its beginning has come
    std::function<int(int rank)> pid;  // called when a line is printed
    std::function<void(const std::string&)> tell;
};

class Narration {
public:
    explicit Narration(NarrationOptions options) : options_(std::move(options)) {}

    void add(const Span& span);
    // Tells the lines up to `now`, and forgets them. Only what is live: nothing of it is left out.
    void tell_until(Time now);
    // Tells all that is left. If lines are left out, one line says how many.
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
    std::size_t dropped_ = 0;  // from between the first and the last of lines_
};

}  // namespace sim::scenarios
