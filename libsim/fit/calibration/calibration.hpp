// A calibration finds the few numbers of a machine that measurements on it tell, and says of each how sure it is.
//
// Three fits, each of its own numbers: of collectives (nccl-tests), of kernels (a table of a benchmark), and of whole
// steps (records of runs). What a benchmark has measured stays as it is when steps are fitted, so that steps decide
// only what no benchmark sees. Each is a robust least-squares fit of log(expected / measured); a number that the
// measurements do not determine keeps the value of the machine, and is named, with those that trade off with it.
#pragma once

#include "libsim/fit/calibration/calibrated_number.hpp"
#include "libsim/fit/calibration/measurement.hpp"
#include "libsim/fit/validation/measured.hpp"
#include "libsim/fit/validation/record.hpp"
#include "libsim/for_each.hpp"

#include <string>
#include <vector>

namespace sim::fit {

struct CalibrationData {
    std::vector<Measurement> collectives;
    std::vector<Measurement> kernels;
    std::string runs_file;
    std::vector<RunRecord> runs;
    std::vector<Measured> steps;  // of the runs, in their order
};

enum class Finding : std::uint8_t {
    found,  // to within 5 %
    rough,  // to within 30 %
    tied,   // only together with a number that is kept: another value of that would change it
    kept,   // not told: the machine's own value
};
const char* name_of(Finding finding);

struct FoundNumber {
    const CalibratedNumber* number = nullptr;
    MeasuredBy by = MeasuredBy::kernels;
    Finding finding = Finding::kept;
    double before = 0;
    double value = 0;                    // `before`, if it is kept
    double uncertainty = 0;              // half of the 95 % interval, a share of the value; of kept ones: before
    bool at_bound = false;               // of what the number may be
    std::vector<std::string> with = {};  // numbers that it trades off with
    std::string source;                  // "nccl-tests, 24 sizes (8.txt)"
};

// Of one file: mean absolute errors, shares of 1.
struct FileError {
    std::string file;
    MeasuredBy by = MeasuredBy::kernels;
    std::size_t measurements = 0;
    double before = 0;
    double after = 0;
    double bias_after = 0;  // with its sign
};

struct UnusedRun {
    std::string id;
    std::string reason;
};

struct Calibration {
    training::Machine machine;  // with all that was found
    std::vector<FoundNumber>
        numbers;  // of those that some measurement depends on, in the order of calibrated_numbers()
    std::vector<FileError> files;
    std::vector<UnusedRun> unused;
};

// Requires: the machine's network is derived.
// Throws UsageError, which names file and line, for a measurement that the machine cannot have made.
Calibration calibrate_machine(const training::Machine& machine, const CalibrationData& data,
                              const ForEach& for_each = one_by_one);

}  // namespace sim::fit
