// A lab is a rank program with a gap that a learner fills in; `ndsim lab check` runs it and grades the record of the
// run.
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
#include <string>
#include <string_view>

namespace sim::lab {

// The numbers of a lab's case, by name. They differ by seed, so that copied answers do not work.
class Given {
public:
    Given() = default;
    explicit Given(std::map<std::string, double> numbers) : numbers_(std::move(numbers)) {}

    // Throws ProgramError with the nearest name if there is no such number.
    double operator[](std::string_view name) const;
    // Throws ProgramError if the number is not an integer.
    std::int64_t whole(std::string_view name) const;

    const std::map<std::string, double>& numbers() const { return numbers_; }

private:
    std::map<std::string, double> numbers_;
};

using Program = std::function<void(GPU&, const Given&)>;

// Marks the place of a learner's missing lines: reports to the grader which line is unwritten, and throws ProgramError.
// The place is the caller's; clang 14 has no std::source_location.
[[noreturn]] void gap(GPU& gpu, std::string_view what, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE());

// The main of a lab's program. Returns the exit code.
//   (nothing)                  plays case.json and draws the timeline
//   --play FILE --into FILE    plays the cases of one file and writes their records to the other (record.hpp)
//   --host process|fiber       how ranks live (process)
int run(int argc, char** argv, const Program& program);

}  // namespace sim::lab

// The last line of a lab's file defines its main. The course compiles its own programs under other names.
#ifndef NDSIM_LAB
#define NDSIM_LAB(program)                         \
    int main(int argc, char** argv) {              \
        return sim::lab::run(argc, argv, program); \
    }
#endif
