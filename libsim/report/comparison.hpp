// A comparison shows how two runs, A and B, differ: the parts of their time, the settings that changed, and one
// sentence for the cause. All output formats use the same words.
#pragma once

#include <string>
#include <vector>

namespace sim::report {

// Times in seconds; the parts add up to the whole.
struct ComparedTime {
    std::string name;
    double a = 0;
    double b = 0;

    double difference() const { return b - a; }
};

struct ComparedSetting {
    std::string name;
    std::string a;  // empty: A does not have it
    std::string b;
};

// A figure of both runs, in words with its unit.
struct ComparedFigure {
    std::string name;
    std::string a;
    std::string b;
    std::string change;  // "-21.7 %"
};

struct Comparison {
    ComparedTime all;
    std::vector<ComparedTime> parts;
    std::vector<ComparedFigure> figures;  // those that both results give
    std::vector<ComparedSetting> changed;
    std::string sentence;
};

}  // namespace sim::report
