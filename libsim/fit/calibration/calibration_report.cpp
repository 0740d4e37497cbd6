#include "libsim/fit/calibration/calibration_report.hpp"

#include "libsim/report/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sim::fit {

namespace {

using Json = nlohmann::ordered_json;
using report::Align;

// An interval wider than this is none.
constexpr double widest_shown = 2;

const char* name_of(MeasuredBy by) {
    constexpr const char* names[] = {"collectives", "kernels", "runs"};
    return names[static_cast<std::size_t>(by)];
}

std::string uncertainty_text(const FoundNumber& one) {
    return one.uncertainty < widest_shown ? fmt::format("{:.1f} %", one.uncertainty * 100) : "-";
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
        case Finding::kept: return with.empty() ? "not told: kept" : "not told apart from " + with + ": kept";
    }
    return "";
}

}  // namespace

std::string calibration_text(const Calibration& calibration) {
    report::TextTable numbers{.columns = {{"number", Align::left}, {"before"}, {"now"}, {"+-"}, {"", Align::left}}};
    for (const FoundNumber& one : calibration.numbers) {
        numbers.rows.push_back({{one.number->name, fmt::format("{:.4g}", one.before), fmt::format("{:.4g}", one.value),
                                 uncertainty_text(one), finding_text(one)}});
    }
    report::TextTable files{
        .columns = {{"measurements", Align::left}, {""}, {"error before"}, {"after"}, {"bias after"}}};
    for (const FileError& one : calibration.files) {
        files.rows.push_back(
            {{one.file, fmt::format("{}", one.measurements), fmt::format("{:.1f} %", one.before * 100),
              fmt::format("{:.1f} %", one.after * 100), fmt::format("{:+.1f} %", one.bias_after * 100)}});
    }
    std::string text = text_of(files) + "\n" + text_of(numbers) +
                       "\n+-: half of the 95 % interval, if the model is right. Latencies are factors on NCCL's.\n";
    for (const UnusedRun& run : calibration.unused) {
        text += fmt::format("not used: {}: {}\n", run.id, run.reason);
    }
    return text;
}

std::string calibration_json(const Calibration& calibration) {
    Json numbers = Json::array();
    for (const FoundNumber& one : calibration.numbers) {
        numbers.push_back({{"name", one.number->name},
                           {"finding", name_of(one.finding)},
                           {"before", one.before},
                           {"value", one.value},
                           {"uncertainty", one.uncertainty < widest_shown ? Json(one.uncertainty) : Json(nullptr)},
                           {"at_bound", one.at_bound},
                           {"trades_off_with", one.with},
                           {"source", one.source}});
    }
    Json files = Json::array();
    for (const FileError& one : calibration.files) {
        files.push_back({{"file", one.file},
                         {"kind", name_of(one.by)},
                         {"measurements", one.measurements},
                         {"error_before", one.before},
                         {"error_after", one.after},
                         {"bias_after", one.bias_after}});
    }
    Json unused = Json::array();
    for (const UnusedRun& run : calibration.unused) {
        unused.push_back({{"id", run.id}, {"reason", run.reason}});
    }
    return Json{{"command", "calibrate"},
                {"machine", calibration.machine.name},
                {"numbers", numbers},
                {"files", files},
                {"unused_runs", unused}}
               .dump(-1, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

report::Table calibration_rows(const Calibration& calibration) {
    using report::Cells;
    report::Table table{.columns = {{"name", Cells::words},
                                    {"finding", Cells::names},
                                    {"before"},
                                    {"value"},
                                    {"uncertainty"},
                                    {"trades_off_with", Cells::words},
                                    {"source", Cells::words}},
                        .rows = {}};
    for (const FoundNumber& one : calibration.numbers) {
        table.rows.push_back({one.number->name, name_of(one.finding), fmt::format("{:.6g}", one.before),
                              fmt::format("{:.6g}", one.value),
                              one.uncertainty < widest_shown ? fmt::format("{:.4f}", one.uncertainty) : "",
                              fmt::format("{}", fmt::join(one.with, "; ")), one.source});
    }
    return table;
}

}  // namespace sim::fit
