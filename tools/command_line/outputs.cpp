#include "tools/command_line/outputs.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/report/csv.hpp"
#include "libsim/report/page.hpp"
#include "libsim/report/trace_formats.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::command_line {

using namespace config;
using namespace report;

namespace {

const std::string standard_output = "-";

struct Format {
    const char* option;
    const char* also;           // another name of the option; empty: none
    const char* takes;          // empty: a flag, for standard output
    std::string Offer::*words;  // of what it shows
    std::string (*show)(const Report& report);
    // In place of it, of formats that show a timeline.
    void (*draw)(std::ostream& out, const report::Timeline& timeline, const std::string& file) = nullptr;
    const char* help = "";  // in place of the offer's words
};

std::string csv(const Report& report) {
    return report.table ? report::csv_of(report.table()) : "";
}
std::string picture(const Report& report) {
    return report.picture ? report.picture() : "";
}
std::string json(const Report& report) {
    return report.json ? report.json() : "";
}

void trace(std::ostream& out, const report::Timeline& timeline, const std::string& file) {
    report::trace_format_of(file).write(out, timeline);
}

void page(std::ostream& out, const report::Timeline& timeline, const std::string& /*file*/) {
    report::write_page(out, timeline);
}

// In the order of --help.
constexpr auto formats = std::to_array<Format>({
    {"csv", "", "FILE|-", &Offer::table, csv},
    {"svg", "plot", "FILE.svg", &Offer::picture, picture},
    {"trace", "", "FILE|-", &Offer::timeline, nullptr, trace},
    {"report", "", "FILE.html", &Offer::timeline, nullptr, page,
     "a page for the browser: the timeline, its replay, and where the time went"},
    {"json", "", "", &Offer::json, json},
});

}  // namespace

std::vector<config::OptionRow> output_rows(Outputs& outputs, const Offer& offer) {
    std::vector<config::OptionRow> rows;
    for (const Format& format : formats) {
        const std::string& offered = offer.*format.words;
        if (offered.empty()) {
            continue;
        }
        const std::string words = *format.help == '\0' ? offered : format.help;
        config::OptionRow row{.name = format.option, .takes = format.takes, .help = words, .kind = config::Text{}};
        if (row.takes.empty()) {
            row.kind = config::Flag{[&outputs, name = row.name](bool wanted) {
                wanted ? void(outputs[name] = standard_output) : void(outputs.erase(name));
            }};
        } else {
            row.help += row.takes == "FILE|-" ? "; -: in place of the text" : "";
            row.kind = config::Text{[&outputs, name = row.name](const std::string& file) { outputs[name] = file; }};
        }
        if (*format.also != '\0') {
            row.also = {format.also};
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

void check_outputs(const Outputs& outputs) {
    std::vector<std::string> printed;
    for (const Format& format : formats) {
        const auto wanted = outputs.find(format.option);
        if (wanted == outputs.end()) {
            continue;
        }
        if (wanted->second == standard_output) {
            printed.push_back(fmt::format("--{}{}", format.option, *format.takes == '\0' ? "" : " -"));
        } else {
            check_output(wanted->second);
        }
    }
    if (printed.size() > 1) {
        throw config::UsageError(fmt::format("{} and {} both want standard output; give one of them a file",
                                             printed.back(), printed.front()));
    }
}

bool shows_text(const Outputs& outputs) {
    return std::none_of(outputs.begin(), outputs.end(),
                        [](const auto& output) { return output.second == standard_output; });
}

bool wants_timeline(const Outputs& outputs) {
    return std::any_of(formats.begin(), formats.end(),
                       [&](const Format& format) { return format.draw != nullptr && outputs.contains(format.option); });
}

void write_timeline(const Outputs& outputs, const report::Timeline& timeline) {
    for (const Format& format : formats) {
        const auto wanted = outputs.find(format.option);
        if (format.draw == nullptr || wanted == outputs.end()) {
            continue;
        }
        const std::string& file = wanted->second;
        write_output(file, [&](std::ostream& out) { format.draw(out, timeline, file); });
    }
}

void write_outputs(const Outputs& outputs, const Report& report) {
    std::string printed;
    for (const Format& format : formats) {
        const auto wanted = outputs.find(format.option);
        if (format.show == nullptr || wanted == outputs.end()) {
            continue;
        }
        const std::string shown = format.show(report);
        if (wanted->second == standard_output) {
            printed = shown;
        } else if (!shown.empty()) {
            write_output(wanted->second, [&](std::ostream& out) { out << shown; });
        }
    }
    if (!shows_text(outputs)) {
        print(printed);
    } else {
        print(report.text());
    }
}

}  // namespace sim::command_line
