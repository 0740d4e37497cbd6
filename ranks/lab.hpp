// A lab is a rank program with a gap that a learner fills; `ndsim lab check` runs it and grades what the run leaves.
//
//   #include <ranks/lab.hpp>
//
//   void program(sim::GPU& gpu, const sim::lab::Given& given) {
//       gpu.compute("forward", sim::Units{given["compute_units"]});
//   }
//   NDSIM_LAB(program)
//
// Run by hand, such a program plays the case in the file case.json beside it and draws its timeline.
#pragma once

#include "libsim/gpu.hpp"

#include <functional>
#include <map>
#include <source_location>
#include <string>
#include <string_view>

namespace sim::lab {

// The numbers of a lab's case, by name. They differ by seed, so that answers cannot be compared, only ideas.
class Given {
public:
    Given() = default;
    explicit Given(std::map<std::string, double> numbers) : numbers_(std::move(numbers)) {}

    // Throws ProgramError with the nearest name where there is no such number.
    double operator[](std::string_view name) const;
    // Throws ProgramError where the number is not whole.
    std::int64_t whole(std::string_view name) const;

    const std::map<std::string, double>& numbers() const { return numbers_; }

private:
    std::map<std::string, double> numbers_;
};

using Program = std::function<void(GPU&, const Given&)>;

// What stands where a learner's lines belong: tells the grader which line is not written yet, and throws ProgramError.
[[noreturn]] void gap(GPU& gpu, std::string_view what, std::source_location here = std::source_location::current());

// The main of a lab's program. Returns the exit code.
//   (nothing)                  plays case.json and draws the timeline
//   --play FILE --into FILE    plays the cases of the one file and writes their records into the other (records.hpp)
//   --host process|fiber       how ranks live (process)
int run(int argc, char** argv, const Program& program);

}  // namespace sim::lab

// The last line of a lab's file: its main. The course compiles its own programs under other names.
#ifndef NDSIM_LAB
#define NDSIM_LAB(program)                         \
    int main(int argc, char** argv) {              \
        return sim::lab::run(argc, argv, program); \
    }
#endif
