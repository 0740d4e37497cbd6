// A comparison says how two runs, A and B, differ: the parts of their time, what was asked for differently, and one
// sentence of cause. Every form in which it is shown has the same words.
#pragma once

#include <string>
#include <vector>

namespace sim::report {

// Seconds; the parts add up to the whole.
struct ComparedTime {
    std::string name;
    double a = 0;
    double b = 0;

    double difference() const { return b - a; }
};

struct ComparedSetting {
    std::string name;
    std::string a;  // empty: it is not there
    std::string b;
};

struct Comparison {
    ComparedTime all;
    std::vector<ComparedTime> parts;
    std::vector<ComparedSetting> changed;
    std::string sentence;
};

}  // namespace sim::report
