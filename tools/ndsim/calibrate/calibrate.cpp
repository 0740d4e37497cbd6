// `ndsim calibrate` fits a machine file to measurements of a user's own cluster, or ndsim's own numbers of a
// generation.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/fit/calibration/calibrated_machine_file.hpp"
#include "libsim/fit/calibration/calibration_report.hpp"
#include "libsim/fit/calibration/kernel_table.hpp"
#include "libsim/fit/calibration/nccl_tests.hpp"
#include "libsim/predict/machine_file.hpp"
#include "libsim/split.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/workers.hpp"
#include "tools/ndsim/calibrate/generation.hpp"
#include "tools/ndsim/calibrate/profiled_kernels.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace predict;
using namespace fit;

namespace {

struct CalibrateOptions {
    std::string machine;
    std::string nccl_tests;
    NcclTestsFacts facts;
    std::string benchmark;
    std::string profiler_traces;
    std::string runs;
    std::string sets;
    bool print_benchmark = false;
    std::string name;
    std::string out;
    GenerationOptions generation;
    int jobs = 0;
};

OptionRow repeated(OptionRow row) {
    row.repeats = true;
    return row;
}

std::vector<OptionRow> calibrate_rows(CalibrateOptions& options) {
    std::vector<std::string> known = training::machine_names();
    const std::vector<std::string> accelerators = training::accelerator_names();
    known.insert(known.end(), accelerators.begin(), accelerators.end());
    std::vector<OptionRow> rows{
        {"machine", "NAME", "the measured hardware, as far as it is known: a machine, an accelerator or a FILE.toml",
         name_or_file(options.machine, known)},
        repeated({"nccl-tests", "FILE", "output of all_reduce_perf and the like, as text or JSON; may be repeated",
                  file(options.nccl_tests)}),
        {"collective", "NAME", "collective of --nccl-tests, if the output does not name it",
         choice(options.facts.collective, nccl_tests_collectives())},
        {"ranks", "N", "ranks of --nccl-tests, if the output does not give them",
         whole(options.facts.ranks, 2, 1 << 20)},
        {"ranks-per-node", "N", "ranks per node of --nccl-tests, if the output does not give them",
         whole(options.facts.ranks_per_node, 1, 1 << 20)},
        repeated({"benchmark", "FILE", "table of timed kernels, in CSV; may be repeated", file(options.benchmark)}),
        repeated({"profiler-trace", "FILE",
                  "trace of PyTorch's profiler with shapes (record_shapes=True), also .gz; may be repeated",
                  file(options.profiler_traces)}),
        {"runs", "FILE", "step times of your own runs, in JSON (docs/data/README.md)", file(options.runs)},
        {"set", "NAMES", "use only these sets of --runs, separated by commas", config::text(options.sets)},
        {"print-benchmark", "", "print the Python script that produces the table for --benchmark, and exit",
         flag(options.print_benchmark)},
        writing({"out", "FILE", "write the machine file to FILE", file(options.out)}),
        {"name", "NAME", "name of the machine in the machine file (the machine's own)", config::text(options.name)}};
    for (OptionRow& row : generation_rows(options.generation)) {
        rows.push_back(std::move(row));
    }
    rows.push_back(jobs_row(options.jobs));
    return rows;
}

// Splits the value of an option that may be repeated.
std::vector<std::string> files_of(const std::string& joined) {
    std::vector<std::string> files;
    for (const std::string& part : split(joined, ';')) {
        const std::size_t begin = part.find_first_not_of(' ');
        if (begin != std::string::npos) {
            files.push_back(part.substr(begin));
        }
    }
    return files;
}

MeasuredRuns runs_of(const CalibrateOptions& options) {
    return read_measured_runs(read_json_text(options.runs, "a JSON file", written_by_programs), options.runs,
                              options.sets);
}

CalibrationData data_of(const CalibrateOptions& options) {
    CalibrationData data;
    for (const std::string& file : files_of(options.nccl_tests)) {
        const std::string text = read_text(file, "nccl-tests' output", written_by_programs);
        const std::vector<Measurement> more = read_nccl_tests(text, file, options.facts);
        data.collectives.insert(data.collectives.end(), more.begin(), more.end());
    }
    for (const std::string& file : files_of(options.benchmark)) {
        const std::vector<Measurement> more = read_kernel_table(read_text(file, "a table in CSV"), file);
        data.kernels.insert(data.kernels.end(), more.begin(), more.end());
    }
    for (const std::string& file : files_of(options.profiler_traces)) {
        const std::vector<Measurement> more = read_profiled_kernels(file);
        data.kernels.insert(data.kernels.end(), more.begin(), more.end());
    }
    if (!options.runs.empty()) {
        data.runs_file = options.runs;
        data.runs = runs_of(options);
    }
    return data;
}

// Refuses options that only a fit of the other kind reads.
void check_kind(const CalibrateOptions& options, const Asked& asked) {
    const bool of_generation = !options.generation.generation.empty();
    const std::vector<std::string> others =
        of_generation ? std::vector<std::string>{"machine",        "nccl-tests", "collective",     "ranks",
                                                 "ranks-per-node", "benchmark",  "profiler-trace", "name"}
                      : std::vector<std::string>{"fields", "efficiency", "passes", "step"};
    for (const std::string& name : others) {
        if (asked.given.contains(name)) {
            throw UsageError(of_generation ? fmt::format("--generation is fitted to --runs; leave out --{}", name)
                                           : fmt::format("--{} is for --generation", name));
        }
    }
    if (of_generation && !options.out.empty()) {
        throw UsageError("--generation prints its numbers; leave out --out");
    }
    if (!of_generation && !options.generation.leave_one_out.empty()) {
        throw UsageError("--leave-one-out is for --generation");
    }
}

void check_machine_options(const CalibrateOptions& options) {
    if (options.machine.empty()) {
        throw UsageError(
            "--machine is missing: the measured hardware, such as dgx-h100, H100-SXM-80GB, or the file of "
            "ndsim hardware import");
    }
    if (options.nccl_tests.empty() && options.benchmark.empty() && options.profiler_traces.empty() &&
        options.runs.empty()) {
        throw UsageError(
            "there are no measurements: give --nccl-tests FILE, --benchmark FILE, --profiler-trace FILE or --runs "
            "FILE");
    }
    if (!options.out.empty()) {
        check_output(options.out);
    }
}

std::string machine_file(const CalibrateOptions& options, const Calibration& calibration) {
    const bool is_file = options.machine.ends_with(".toml") || options.machine.find('/') != std::string::npos;
    const std::string base_text = is_file ? read_toml_text(options.machine) : "";
    return calibrated_machine_file(calibration, options.machine, base_text,
                                   options.name.empty() ? calibration.machine.name : options.name);
}

void refuse_forms(const Asked& asked, const char* why) {
    if (!asked.forms.empty()) {
        throw UsageError(fmt::format("{}; leave out --{}", why, asked.forms.front()));
    }
}

Answer machine_answer(const CalibrateOptions& options) {
    check_machine_options(options);
    const training::Machine machine = read_machine(options.machine);
    Workers workers(options.jobs);
    const auto found =
        std::make_shared<const Calibration>(calibrate_machine(machine, data_of(options), workers.executor()));
    if (!options.out.empty()) {
        const std::string text = machine_file(options, *found);
        write_output(options.out, [&](std::ostream& out) { out << text; });
    }
    return {.forms = {.text = [found] { return calibration_text(*found); },
                      .json = [found] { return calibration_json(*found); },
                      .table = [found] { return calibration_rows(*found); }}};
}

Answer calibrate_answer(const CalibrateOptions& options, const Asked& asked) {
    if (options.print_benchmark) {
        refuse_forms(asked, "--print-benchmark prints a script");
        return {.forms = {.text = [] { return std::string(kernel_benchmark()); }}};
    }
    check_kind(options, asked);
    if (options.generation.generation.empty()) {
        return machine_answer(options);
    }
    refuse_forms(asked, "--generation prints lines of a data file");
    if (options.runs.empty()) {
        throw UsageError("--runs is missing: published runs on the generation, such as docs/data/published_runs.json");
    }
    Workers workers(options.jobs);
    return generation_answer(options.generation, runs_of(options), options.runs, workers.executor(), asked.listener);
}

Question calibrate_question() {
    const auto options = std::make_shared<CalibrateOptions>();
    return {.rows = calibrate_rows(*options),
            .offer = {.table = "write each number and its uncertainty as CSV"},
            .answer = [options](const Asked& asked) { return calibrate_answer(*options, asked); }};
}

}  // namespace

const Command calibrate_command{
    .name = "calibrate",
    .headline = "fit a machine file to your own cluster: from nccl-tests, kernel benchmarks and step times",
    .summary =
        "Fits a few numbers of your own cluster to measurements: nccl-tests, a benchmark of kernels, step times. Says "
        "how certain each number is and which ones the measurements cannot tell apart, and writes a file for "
        "--machine. With --generation, fits the numbers that ndsim ships for a GPU generation to published runs.",
    .examples =
        {"ndsim calibrate --print-benchmark > benchmark.py       # run it on one of your GPUs",
         "ndsim calibrate --machine dgx-h100 --benchmark kernels.csv --nccl-tests 8.txt --nccl-tests 64.txt "
         "--out ours.toml",
         "ndsim calibrate --machine ours.toml --runs our_runs.json",
         "ndsim calibrate --generation ampere --runs docs/data/published_runs.json --set KORTH-T5,MOSAIC-A100-80 "
         "--fields gemm_peak,gemm_half_flops"},
    .schemas = {calibrate_schema, calibrate_columns},
    .question = calibrate_question};

}  // namespace sim::tools
