#include "tools/command_line/outputs.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/typed_numbers.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/csv.hpp"
#include "libsim/report/page/page.hpp"
#include "libsim/report/svg_timeline.hpp"
#include "libsim/report/text_timeline.hpp"
#include "libsim/report/trace_formats.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/own_picture.hpp"
#include "tools/command_line/terminal.hpp"
#include "tools/command_line/trace_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

namespace sim::command_line {

using namespace config;
using namespace report;

namespace {

const std::string standard_output = "-";
const std::string beside_text;  // no file, and shown in addition to the text
constexpr const char* ascii = "ascii";
constexpr const char* plotted = "plot";
constexpr const char* drawn_from = "from";
constexpr const char* drawn_to = "to";

struct Format {
    const char* option;
    const char* also = "";                // another name of the option; empty: none
    const char* takes = "";               // empty: a flag, for standard output; else a file
    std::string Offer::*words = nullptr;  // the offer's description of it
    std::string (*show)(const Report& report) = nullptr;
    // For formats that show a timeline: draws into a file, writes under the file's name, or shows above the text.
    void (*draw)(std::ostream& out, const Timeline& timeline) = nullptr;
    void (*check)(const std::string& file) = nullptr;
    void (*write)(const std::string& file, const Timeline& timeline) = nullptr;
    std::string (*picture)(const Timeline& timeline, const TextStyle& style) = nullptr;
    // For formats that show the program: one file, or those of a folder.
    std::vector<TraceFile> (*program_files)(const RecordedProgram& program) = nullptr;
    const char* help = "";                     // empty: the offer's description
    std::string (*details)() = nullptr;        // appended to the help
    std::string Offer::*instead_of = nullptr;  // only for commands that do not offer this
    const char* wanted_as = "";                // key in Outputs; empty: its option
    Known::Path path = Known::Path::file;
    const char* suffix = "";  // required suffix of its files; empty: any
    bool takes_time = false;  // not an output, but a bound for another one

    const char* key() const { return *wanted_as == '\0' ? option : wanted_as; }
    bool shows_timeline() const { return draw != nullptr || write != nullptr || picture != nullptr; }
};

std::string csv(const Report& report) {
    return report.table ? csv_of(report.table()) : "";
}
std::string picture(const Report& report) {
    return report.picture ? report.picture() : "";
}
std::string plot(const Report& report) {
    return report.plot ? report.plot() : "";
}
std::string page_of_report(const Report& report) {
    return report.page ? report.page() : "";
}
std::string json(const Report& report) {
    return report.json ? report.json() : "";
}

std::string suffixes() {
    return "; " + trace_suffixes();
}

void page(std::ostream& out, const Timeline& timeline) {
    write_page(out, timeline);
}
void svg(std::ostream& out, const Timeline& timeline) {
    out << svg_timeline(timeline);
}

constexpr const char* picture_of_timeline = "svg of the timeline";

// In the order of --help.
constexpr auto formats = std::to_array<Format>({
    {"csv", "", "FILE|-", &Offer::table, csv},
    {.option = "svg",
     .also = plotted,
     .takes = "FILE.svg",
     .words = &Offer::picture,
     .show = picture,
     .suffix = ".svg"},
    {.option = plotted, .takes = "FILE.svg", .words = &Offer::plot, .show = plot, .suffix = ".svg"},
    {.option = "svg",
     .takes = "FILE.svg",
     .words = &Offer::timeline,
     .draw = svg,
     .help = "draw the timeline as a picture, a row for each rank and stream",
     .instead_of = &Offer::picture,
     .wanted_as = picture_of_timeline,
     .suffix = ".svg"},
    {.option = "trace",
     .takes = "FILE|-",
     .words = &Offer::timeline,
     .check = check_trace,
     .write = write_trace,
     .details = suffixes},
    {.option = "report",
     .takes = "FILE.html",
     .words = &Offer::timeline,
     .draw = page,
     .help = "a page for the browser: the timeline, its replay, and where the time went",
     .suffix = ".html"},
    {.option = "goal", .takes = "FILE", .words = &Offer::program, .program_files = goal_file},
    {.option = "chakra",
     .takes = "FOLDER",
     .words = &Offer::program,
     .check = check_chakra,
     .program_files = chakra_files,
     .help = "the program as Chakra execution traces, a file for each rank, for ndsim chakra and ASTRA-sim",
     .path = Known::Path::folder},
    {.option = "timeline",
     .words = &Offer::timeline,
     .picture = text_timeline,
     .help = "draw the timeline as text, a row for each rank and stream"},
    {.option = ascii, .words = &Offer::timeline, .help = "draw --timeline in plain ASCII"},
    {.option = drawn_from,
     .takes = "TIME",
     .words = &Offer::timeline,
     .help = "draw --timeline from this time on (0s)",
     .takes_time = true},
    {.option = drawn_to,
     .takes = "TIME",
     .words = &Offer::timeline,
     .help = "draw --timeline up to this time (end of the run)",
     .takes_time = true},
    {"json", "", "", &Offer::json, json},
    {.option = "report",
     .takes = "FILE.html",
     .words = &Offer::page,
     .show = page_of_report,
     .wanted_as = "report without a timeline",
     .suffix = ".html"},
});

// Refuses a suffix of another kind of file: programs that open it would expect that kind.
void check_suffix(const Format& format, const std::string& file) {
    const std::string suffix = std::filesystem::path(file).extension().string();
    if (*format.suffix != '\0' && !suffix.empty() && suffix != format.suffix) {
        throw UsageError(fmt::format("--{} writes {} files; {} must end with {}", format.option, format.suffix,
                                     shortened(file), format.suffix));
    }
}

}  // namespace

std::vector<OptionRow> output_rows(Outputs& outputs, const Offer& offer) {
    std::vector<OptionRow> rows;
    for (const Format& format : formats) {
        const std::string offered = offer.*format.words;
        if (offered.empty() || (format.instead_of != nullptr && !(offer.*format.instead_of).empty())) {
            continue;
        }
        const std::string words = *format.help == '\0' ? offered : format.help;
        OptionRow row{.name = format.option,
                      .takes = format.takes,
                      .help = words,
                      .kind = Text{},
                      .changes_result = false,
                      .group = GroupName::output};
        if (format.takes_time) {
            row.kind =
                Text{[&outputs, name = std::string(format.key())](const std::string& time) { outputs[name] = time; }};
        } else if (row.takes.empty()) {
            const std::string& where = format.show == nullptr ? beside_text : standard_output;
            row.kind = Flag{[&outputs, &where, name = std::string(format.key())](bool wanted) {
                wanted ? void(outputs[name] = where) : void(outputs.erase(name));
            }};
        } else {
            row.writes = true;
            row.help += row.takes == "FILE|-" ? "; -: instead of the text" : "";
            row.help += format.details != nullptr ? format.details() : "";
            row.kind =
                Text{[&outputs, name = std::string(format.key())](const std::string& file) { outputs[name] = file; },
                     {.path = format.path}};
        }
        if (*format.also != '\0' && offer.plot.empty()) {
            row.also = {format.also};
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

namespace {

// Nothing if the option is not given.
std::optional<Time> time_wanted(const Outputs& outputs, const char* option) {
    const auto wanted = outputs.find(option);
    if (wanted == outputs.end()) {
        return std::nullopt;
    }
    if (!outputs.contains("timeline")) {
        throw UsageError(fmt::format("--{} needs --timeline", option));
    }
    const std::optional<Duration> time = duration_of_text(wanted->second);
    if (!time) {
        throw UsageError(
            fmt::format("--{} must be a time with its unit, such as 120ms, not \"{}\"", option, wanted->second));
    }
    return Time{*time};
}

void check_times(const Outputs& outputs) {
    const std::optional<Time> begin = time_wanted(outputs, drawn_from);
    const std::optional<Time> end = time_wanted(outputs, drawn_to);
    if (end && *end <= begin.value_or(Time{})) {
        throw UsageError(fmt::format("--to {} must be later than {}", outputs.at(drawn_to),
                                     begin ? fmt::format("--from {}", outputs.at(drawn_from)) : "0s"));
    }
}

// Sets the part of the timeline to draw; a start after its end is reported, and ignored.
void take_times(const Outputs& outputs, const Timeline& timeline, TextStyle& style) {
    const Time end = timeline.end_of_all();
    style.from = time_wanted(outputs, drawn_from).value_or(Time{});
    style.until = std::min(time_wanted(outputs, drawn_to).value_or(Time{}), end);
    if (style.from >= end && style.from > Time{}) {
        tell_drawn(fmt::format("--from {} is not before the end of the timeline, {}\n", outputs.at(drawn_from),
                               time_text(end, 5)));
        style.from = Time{};
    }
}

}  // namespace

void check_outputs(const Outputs& outputs) {
    check_times(outputs);
    std::vector<std::string> printed;
    for (const Format& format : formats) {
        const auto wanted = outputs.find(format.key());
        if (wanted == outputs.end() || wanted->second == beside_text || format.takes_time) {
            continue;
        }
        if (wanted->second == standard_output) {
            printed.push_back(fmt::format("--{}{}", format.option, *format.takes == '\0' ? "" : " -"));
        } else {
            check_suffix(format, wanted->second);
            (format.check != nullptr ? format.check : check_output)(wanted->second);
        }
    }
    if (printed.size() > 1) {
        throw UsageError(fmt::format("{} and {} both want standard output; give one of them a file", printed.back(),
                                     printed.front()));
    }
}

bool shows_text(const Outputs& outputs) {
    return std::none_of(outputs.begin(), outputs.end(),
                        [](const auto& output) { return output.second == standard_output; });
}

bool wants_timeline(const Outputs& outputs) {
    return std::any_of(formats.begin(), formats.end(),
                       [&](const Format& format) { return format.shows_timeline() && outputs.contains(format.key()); });
}

bool wants_program(const Outputs& outputs) {
    return std::any_of(formats.begin(), formats.end(), [&](const Format& format) {
        return format.program_files != nullptr && outputs.contains(format.key());
    });
}

void write_program(const Outputs& outputs, const RecordedProgram& program) {
    for (const Format& format : formats) {
        const auto wanted = outputs.find(format.key());
        if (format.program_files == nullptr || wanted == outputs.end()) {
            continue;
        }
        const std::vector<TraceFile> files = format.program_files(program);
        if (files.front().name.empty()) {
            write_output(wanted->second, files.front().write);
        } else {
            write_output_folder(wanted->second, files);
        }
    }
}

TextStyle text_style(const Outputs& outputs, int descriptor) {
    const Terminal terminal = terminal_at(descriptor);
    return {.width = terminal.columns, .colour = terminal.colour, .ascii = terminal.ascii || outputs.contains(ascii)};
}

void write_timeline(const Outputs& outputs, const Timeline& timeline) {
    for (const Format& format : formats) {
        const auto wanted = outputs.find(format.key());
        if (!format.shows_timeline() || wanted == outputs.end()) {
            continue;
        }
        if (format.picture != nullptr) {
            const bool is_free = shows_text(outputs);
            TextStyle style = text_style(outputs, is_free ? STDOUT_FILENO : STDERR_FILENO);
            take_times(outputs, timeline, style);
            const std::string picture = format.picture(timeline, style);
            is_free ? print_drawn(picture + "\n") : tell_drawn(picture + "\n");
            continue;
        }
        const std::string& file = wanted->second;
        if (format.write != nullptr) {
            format.write(file, timeline);
        } else {
            write_output(file, [&](std::ostream& out) { format.draw(out, timeline); });
        }
    }
}

std::string take_picture(Outputs& outputs) {
    const auto taken = outputs.extract(picture_of_timeline);
    return taken.empty() ? "" : taken.mapped();
}

void write_outputs(const Outputs& outputs, const Report& report) {
    std::string printed;
    for (const Format& format : formats) {
        const auto wanted = outputs.find(format.key());
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
