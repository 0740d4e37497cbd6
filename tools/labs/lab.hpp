// A lab as its grader sees it: the numbers of a seed, the closed-form results of a right program, and the known
// mistakes, which are recognized by their results.
//
// The pages and the solutions of a lab are in docs/labs/NN-name/.
#pragma once

#include "ranks/lab.hpp"
#include "ranks/lab/case.hpp"
#include "ranks/lab/record.hpp"

#include <array>
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

// The graded aspects of a run.
enum class Aspect : std::uint8_t { ran, data, time, bytes, memory, order };
inline constexpr std::array all_aspects{Aspect::ran,   Aspect::data,   Aspect::time,
                                        Aspect::bytes, Aspect::memory, Aspect::order};
const char* name_of(Aspect aspect);

struct Check {
    Aspect aspect = Aspect::data;
    bool ok = false;
    std::string expected;  // with its unit
    std::string found;
    std::string why;          // the closed form with its numbers, or the rule
    std::string report = "";  // the reported numbers that it compares; empty: others
};

// A number of a case by which results may be wrong: {"k, the number of micro-batches", 4}.
struct Factor {
    std::string name;
    double value = 1;
};

// The summands of a reported sum: a wrong sum is told by those that it holds.
struct Summands {
    std::string report;  // "gradient"
    std::string kind;    // of which the sum has several: "gradients"
    std::string owner;   // "rank": the summands are those of rank 0, 1, …
    std::vector<std::vector<double>> of;
    int pieces = 1;  // parts of equal length that are told one by one
    std::string piece = "chunk";
};

// The result of a wrong formula, with a sentence for whoever reports or predicts it.
struct Slip {
    std::string report;  // the reported number; empty: the prediction
    double value = 0;
    std::string says;
};

// A mistake is recognised by running it: it matches if it leaves the same as the learner's program in every case. One
// that many programs can make, with different results, has a sign in the learner's record instead.
struct Mistake {
    std::string_view name;  // "whole-gradient-in-each-step"
    lab::Program program;
    // One or two sentences for the learner, with the numbers of the case: "24 us: you sent S, not S/N, in each step."
    std::string (*says)(const Case& played, const Record& theirs);
    // Whether a record shows the mistake. It matches if the records of all cases do, and `program` is an example.
    bool (*shows)(const Case& played, const Record& theirs) = nullptr;
};

// The same for a lab that is a PyTorch script. The Python file beside the lab's says what its script has in the gap.
struct ScriptMistake {
    std::string_view name;
    std::string (*says)(const Case& played, const Record& theirs);
};

// The question that a learner answers before the first run.
enum class Quantity : std::uint8_t { seconds, bytes, percent, number };
struct Prediction {
    std::string_view question;  // "How long does the all-reduce take?"
    Quantity quantity = Quantity::seconds;
    double tolerance = 0.1;                                        // relative error that still counts as right
    double (*truth)(const Case& played, const Record& reference);  // in seconds, bytes, percent or a number
};

// The leader board of labs that also compare right programs with each other.
struct Board {
    std::string_view heading;                                            // "times the best plan"
    double (*value)(const Case& played, const Record& found) = nullptr;  // in the learner's own case; lower is better
};

struct Lab {
    int number = 0;
    std::string_view folder;  // "02-ring-all-reduce"
    std::string_view title;   // "Ring all-reduce"
    // The cases of a seed: the first is the learner's own; the others catch hard-coded numbers.
    std::vector<Case> (*cases)(std::uint64_t seed) = nullptr;
    lab::Program solution;  // none: it is a script
    // Grades a run that ended well. `reference` is the solution's record of the same case.
    std::vector<Check> (*grade)(const Case& played, const Record& found, const Record& reference) = nullptr;
    std::vector<Mistake> mistakes = {};
    Prediction prediction;
    std::optional<Board> board = {};
    // The point of the lab: while a check of these aspects is wrong in a case, its other checks earn nothing.
    std::vector<Aspect> gates = {Aspect::data};
    // These tell a wrong result in words, beside the mistakes; each may be missing. Every case has the same factors and
    // slips, in the same order.
    std::vector<Factor> (*factors)(const Case& played) = nullptr;  // beside the number of ranks and the given counts
    std::vector<Summands> (*summands)(const Case& played, int rank) = nullptr;
    std::vector<Slip> (*slips)(const Case& played) = nullptr;
    std::string (*explain)(const Case& played, const Record& theirs) = nullptr;  // empty: nothing to tell
    // For a lab that is a script; its costs are the name of a machine, and whether the run is hollow.
    std::vector<ScriptMistake> script_mistakes = {};  // in the order of the Python file

    bool is_script() const { return !solution; }
};

// A lab for each file course/NN_name.cpp, which defines lab_NN(): the build writes the list.
std::vector<Lab> all_labs();
// The labs of all_labs(), created once.
std::span<const Lab> course();
// Labs as PyTorch scripts, one for each file course/torch/NN_name.cpp, which defines torch_lab_NN(). Their numbers and
// folders are those of labs of the course.
std::vector<Lab> all_torch_labs();
// The labs of all_torch_labs(), created once.
std::span<const Lab> torch_course();
// Accepts "2", "02" or "02-ring-all-reduce". Throws UsageError with the nearest name.
const Lab& lab_named(const std::string& name);

}  // namespace sim::labs
