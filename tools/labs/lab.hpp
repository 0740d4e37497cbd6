// A lab as its grader knows it: the numbers of a seed, what a right program leaves in closed form, and the mistakes
// that are known by what they do.
//
// What a learner sees of a lab lies in docs/labs/NN-name/.
#pragma once

#include "ranks/lab.hpp"
#include "ranks/lab/case.hpp"
#include "ranks/lab/record.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::labs {

using lab::Case;
using lab::Given;
using lab::Record;

// What is graded.
enum class Aspect : std::uint8_t { ran, data, time, bytes, memory, order };
const char* name_of(Aspect aspect);

struct Check {
    Aspect aspect = Aspect::data;
    bool ok = false;
    std::string expected;  // with its unit
    std::string found;
    std::string why;  // the closed form with its numbers, or the rule
};

// A mistake is recognised by running it: what the learner's program leaves, in every case, is what this one leaves.
struct Mistake {
    std::string_view name;  // "whole-gradient-in-each-step"
    lab::Program program;
    // One or two sentences to the learner, with the numbers of the case: "24 us: you sent S, not S/N, in each step."
    std::string (*says)(const Case& played, const Record& theirs);
};

// The same of a lab that is a PyTorch script: the lines that stand in the gap.
struct MistakenLines {
    std::string_view name;
    std::string_view lines;
    std::string (*says)(const Case& played, const Record& theirs);
};

// What a learner is asked before the first run.
enum class Quantity : std::uint8_t { seconds, bytes, percent, number };
struct Prediction {
    std::string_view question;  // "How long does the all-reduce take?"
    Quantity quantity = Quantity::seconds;
    double tolerance = 0.1;                                        // relative, within which it counts as right
    double (*truth)(const Case& played, const Record& reference);  // in seconds, bytes, percent or a number
};

// Right programs of some labs are compared with each other, too.
struct Board {
    std::string_view heading;                                            // "times the best plan"
    double (*value)(const Case& played, const Record& found) = nullptr;  // of the learner's own case; less is better
};

struct Lab {
    int number = 0;
    std::string_view folder;  // "02-ring-all-reduce"
    std::string_view title;   // "Ring all-reduce"
    // The cases of a seed: the first is the learner's own, the others keep numbers from being written down.
    std::vector<Case> (*cases)(std::uint64_t seed) = nullptr;
    lab::Program solution;  // none: it is a script
    // Of a run that ended well. `reference` is what the solution leaves in the same case.
    std::vector<Check> (*grade)(const Case& played, const Record& found, const Record& reference) = nullptr;
    std::vector<Mistake> mistakes = {};
    Prediction prediction;
    std::optional<Board> board = {};
    // Of a lab that is a script; its costs are the name of a machine, and whether the run is hollow.
    std::vector<MistakenLines> mistaken_lines = {};

    bool is_script() const { return !solution; }
};

// A lab for each file course/NN_name.cpp, which defines lab_NN(): the build writes the list.
std::vector<Lab> all_labs();
// The same, made once.
std::span<const Lab> course();
// Labs as PyTorch scripts, for each file course/torch/NN_name.cpp, which defines torch_lab_NN(). Their numbers and
// folders are those of labs of the course.
std::vector<Lab> all_torch_labs();
// The same, made once.
std::span<const Lab> torch_course();
// Throws UsageError with the nearest: "2", "02" or "02-ring-all-reduce".
const Lab& lab_named(const std::string& name);

}  // namespace sim::labs
