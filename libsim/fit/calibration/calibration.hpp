// A calibration finds the few numbers of a machine that measurements on it determine, each with its uncertainty.
//
// There are three fits, each of its own numbers: of collectives (nccl-tests), of kernels (a benchmark's table), and of
// whole steps (records of runs). Numbers that a benchmark has determined stay fixed when steps are fitted, so steps
// decide only what no benchmark sees. Each fit is robust least squares of log(expected / measured). A number that the
// measurements do not determine keeps the machine's value and is reported with those that it trades off with.
#pragma once

#include "libsim/fit/calibration/calibrated_number.hpp"
#include "libsim/fit/calibration/measurement.hpp"
#include "libsim/fit/validation/measured_runs.hpp"
#include "libsim/for_each.hpp"

#include <string>
#include <vector>

namespace sim::fit {

struct CalibrationData {
    std::vector<Measurement> collectives;
    std::vector<Measurement> kernels;
    std::string runs_file;
    MeasuredRuns runs;
};

enum class Finding : std::uint8_t {
    found,  // to within 5 %
    rough,  // to within 30 %
    tied,   // known only together with a kept number: another value of that one would change it
    kept,   // not determined by the measurements: keeps the machine's value
};
const char* name_of(Finding finding);

struct FoundNumber {
    const CalibratedNumber* number = nullptr;
    MeasuredBy by = MeasuredBy::kernels;
    Finding finding = Finding::kept;
    double before = 0;
    double value = 0;                    // equals `before` if kept
    double uncertainty = 0;              // half of the 95 % interval, a share of the value; if kept, before that
    bool at_bound = false;               // at the least or greatest value allowed
    std::vector<std::string> with = {};  // numbers that it trades off with
    std::string source;                  // "nccl-tests, 24 sizes (8.txt)"
};

// The mean absolute errors of one file's measurements, shares of 1.
struct FileError {
    std::string file;
    MeasuredBy by = MeasuredBy::kernels;
    std::size_t measurements = 0;
    double before = 0;
    double after = 0;
    double bias_after = 0;  // mean signed error
};

struct UnusedRun {
    std::string id;
    std::string reason;
};

struct Calibration {
    training::Machine machine;         // with the numbers that were found
    std::vector<FoundNumber> numbers;  // those that some measurement depends on, in the order of calibrated_numbers()
    std::vector<FileError> files;
    std::vector<UnusedRun> unused;
};

// Requires: the machine's network is derived.
// Throws UsageError, which names file and line, for a measurement that the machine cannot have made.
Calibration calibrate_machine(const training::Machine& machine, const CalibrationData& data,
                              const ForEach& for_each = one_by_one);

}  // namespace sim::fit
