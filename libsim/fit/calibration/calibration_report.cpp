#include "libsim/fit/calibration/calibration_report.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/report/record.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

namespace sim::fit {

using namespace report;
using namespace report::keys;

namespace {

// A wider interval carries no information and is not shown.
constexpr double widest_shown = 2;

const char* name_of(MeasuredBy by) {
    constexpr const char* names[] = {"collectives", "kernels", "runs"};
    return names[static_cast<std::size_t>(by)];
}

std::optional<double> uncertainty_of(const FoundNumber& one) {
    return one.uncertainty < widest_shown ? std::optional(one.uncertainty) : std::nullopt;
}

std::string uncertainty_text(const FoundNumber& one) {
    const std::optional<double> known = uncertainty_of(one);
    return known ? percent_text(*known) : "-";
}

std::string finding_text(const FoundNumber& one) {
    const std::string with = fmt::format("{}", fmt::join(one.with, ", "));
    switch (one.finding) {
        case Finding::found:
        case Finding::rough: {
            std::string text = one.finding == Finding::found ? "found" : "roughly";
            text += one.at_bound ? ", at its bound" : "";
            return with.empty() ? text : text + ", trades off with " + with;
        }
        case Finding::tied: return "only together with " + with;
        case Finding::kept: return with.empty() ? "not determined: kept" : "not told apart from " + with + ": kept";
    }
    return "";
}

const Record<FoundNumber>& number_record() {
    using Found = FoundNumber;
    static const Record<Found> record(
        "A number.",
        {free_text<Found>("name", "Key of [efficiency] in a hardware file, or the latencies that it is a factor on.",
                          [](const Found& of) { return of.number->name; }),
         one_of<Found>(
             "finding",
             {name_of(Finding::found), name_of(Finding::rough), name_of(Finding::tied), name_of(Finding::kept)},
             "found: to within 5 %; rough: to within 30 %; tied: only together with a kept number; kept: not "
             "determined by the measurements.",
             [](const Found& of) { return name_of(of.finding); }),
         printed(number<Found>("before", "Value of the given machine, in the unit of its key; 1 for a factor.",
                               &Found::before),
                 "{:.6g}"),
         printed(number<Found>("value", "Value now, in the same unit.", &Found::value), "{:.6g}"),
         printed(number_or_null<Found>("uncertainty",
                                       "Half of the 95 % interval, a share of 1 of the value; null: there is none.",
                                       uncertainty_of),
                 "{:.4f}"),
         truth<Found>("at_bound", "Whether it ended at the least or greatest value allowed.", &Found::at_bound),
         texts<Found>("trades_off_with", "Numbers that the measurements do not tell apart from this one.",
                      "Name of a number.", &Found::with),
         free_text<Found>("source", "The measurements that it was fitted to.", &Found::source)});
    return record;
}

const Record<FoundNumber>& column_record() {
    using Found = FoundNumber;
    static const Record<Found> record(
        "A number.",
        joined<Found>({number_record().fields({"name", "finding", "before", "value", "uncertainty"}),
                       {free_text<Found>("trades_off_with",
                                         "Numbers that the measurements do not tell apart from it, with a semicolon "
                                         "between them.",
                                         [](const Found& of) { return fmt::format("{}", fmt::join(of.with, "; ")); })},
                       number_record().fields({"source"})}));
    return record;
}

const Record<FileError>& file_record() {
    static const Record<FileError> record(
        "A file.",
        {free_text<FileError>("file", "Name of the file.", &FileError::file),
         one_of<FileError>("kind",
                           {name_of(MeasuredBy::collectives), name_of(MeasuredBy::kernels), name_of(MeasuredBy::runs)},
                           "The kind of measurement.", [](const FileError& of) { return name_of(of.by); }),
         whole<FileError>("measurements", "Number of measurements used.", &FileError::measurements),
         number<FileError>("error_before", "Mean absolute error of the time with the given machine, a share of 1.",
                           &FileError::before),
         number<FileError>("error_after",
                           "Mean absolute error of the time with the numbers that were found, a share of 1.",
                           &FileError::after),
         number<FileError>("bias_after", "Mean signed error with the numbers that were found, a share of 1.",
                           &FileError::bias_after)});
    return record;
}

const Record<UnusedRun>& unused_record() {
    static const Record<UnusedRun> record(
        "A run.", {name<UnusedRun>("id", "Its id.", &UnusedRun::id),
                   free_text<UnusedRun>("reason", "Why it could not be used.", &UnusedRun::reason)});
    return record;
}

const Record<Calibration>& calibration_record() {
    static const Record<Calibration> record(
        "The numbers of a machine, found from measurements.",
        {command<Calibration>("calibrate"),
         name<Calibration>("machine", "Name of the machine.", [](const Calibration& of) { return of.machine.name; }),
         list_of<Calibration>("numbers", "Every number that some measurement depends on.", number_record(),
                              &Calibration::numbers),
         list_of<Calibration>("files", "The errors of each file of measurements.", file_record(), &Calibration::files),
         list_of<Calibration>("unused_runs", "Runs that could not be used.", unused_record(), &Calibration::unused)});
    return record;
}

}  // namespace

std::string calibration_text(const Calibration& calibration) {
    TextTable numbers{.columns = {{"number", Align::left}, {"before"}, {"now"}, {"+-"}, {"", Align::left}}};
    for (const FoundNumber& one : calibration.numbers) {
        numbers.rows.push_back({{one.number->name, fmt::format("{:.4g}", one.before), fmt::format("{:.4g}", one.value),
                                 uncertainty_text(one), finding_text(one)}});
    }
    TextTable files{.columns = {{"measurements", Align::left}, {""}, {"error before"}, {"after"}, {"bias after"}}};
    for (const FileError& one : calibration.files) {
        files.rows.push_back({{one.file, fmt::format("{}", one.measurements), percent_text(one.before),
                               percent_text(one.after), change_text(one.bias_after)}});
    }
    std::string text = text_of(files) + "\n" + text_of(numbers) +
                       "\n+-: half of the 95 % interval, if the model is right. Latencies are factors on NCCL's.\n";
    for (const UnusedRun& run : calibration.unused) {
        text += fmt::format("not used: {}: {}\n", run.id, run.reason);
    }
    return text;
}

std::string calibration_json(const Calibration& calibration) {
    return json_line(calibration_record().json(calibration));
}

Table calibration_rows(const Calibration& calibration) {
    return column_record().table(calibration.numbers);
}

SchemaText calibrate_schema() {
    return schema_of_command("calibrate", calibration_record().schema());
}

SchemaText calibrate_columns() {
    return columns_of_command("calibrate", column_record().columns());
}

}  // namespace sim::fit
