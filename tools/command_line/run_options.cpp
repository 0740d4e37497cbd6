#include "tools/command_line/run_options.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/split.hpp"
#include "tools/command_line/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace sim::command_line {

using namespace config;

const char* name_of(sim::ranks::Clock clock) {
    return clock == sim::ranks::Clock::wall ? "wall" : "virtual";
}

OptionRow host_row(RunOptions& options) {
    std::vector<std::string> names;
    for (const ranks::HostRow& host : ranks::hosts()) {
        names.emplace_back(host.name);
    }
    return keeping_result({"host", "NAME",
                           fmt::format("run ranks as: {} ({})", fmt::join(names, " or "), name_of(options.host)),
                           Choice{names, [&options](std::size_t i) { options.host = static_cast<ranks::Host>(i); }}});
}

void add_clock_rows(RunOptions& options, std::vector<OptionRow>& rows) {
    rows.insert(
        rows.end(),
        {keeping_result({"clock", "NAME", "virtual: as fast as possible; wall: in step with wall-clock time (virtual)",
                         enumerator(options.clock, {"virtual", "wall"})}),
         keeping_result({"time-scale", "S", "wall seconds per simulated second, with --clock wall (1)",
                         real(options.time_scale, 0, 1e6)}),
         keeping_result({"watch", "", "draw the timeline as it grows, instead of log lines (needs --clock wall)",
                         flag(options.watch)})});
}

void check_watch(const RunOptions& options) {
    if (!options.watch) {
        return;
    }
    if (options.clock != sim::ranks::Clock::wall) {
        throw UsageError("--watch shows a run in step with the wall's clock; add --clock wall");
    }
    if (!terminal_at(STDERR_FILENO).cursor_moves) {
        throw UsageError(
            "--watch draws on a terminal, and standard error is none on which the cursor moves; --timeline draws the "
            "whole run at its end");
    }
}

OptionRow profile_row(RunOptions& options, const std::vector<std::string>& names) {
    return {
        "profile", "NAME|FILE",
        fmt::format("cost of compute and messages: {} or a FILE.toml ({})", fmt::join(names, ", "), options.profile),
        name_or_file(options.profile, names)};
}

OptionRow watchdog_row(RunOptions& options) {
    return keeping_result({"watchdog", "S", "seconds without a simulated operation after which a rank is hung (30)",
                           real(options.watchdog_seconds, 0.001, 1e6)});
}

void add_output_rows(RunOptions& options, std::vector<OptionRow>& rows) {
    const std::vector<OptionRow> outputs = output_rows(
        options.outputs, {.json = "print one JSON object instead of the summary",
                          .timeline = "the timeline, for ui.perfetto.dev",
                          .program = "the program as a GOAL schedule, for ndsim goal and other simulators"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    rows.insert(rows.end(), {keeping_result({"verbose", "", "show every log line", flag(options.verbose)}),
                             keeping_result({"quiet", "", "show no log lines", flag(options.quiet)})});
}

void check_host(sim::ranks::Host host, std::int64_t wanted) {
    const ranks::HostRow& row = row_of(host);
    if (wanted <= row.most_ranks) {
        return;
    }
    std::string hint;
    for (const ranks::HostRow& other : ranks::hosts()) {
        if (hint.empty() && other.most_ranks > row.most_ranks) {
            hint = fmt::format("; --host {} can have more", other.name);
        }
    }
    throw UsageError(
        fmt::format("{} ranks are more than the {} that can be {}{}", wanted, row.most_ranks, row.plural, hint));
}

}  // namespace sim::command_line
