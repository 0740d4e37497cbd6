#include "tools/command_line/run_options.hpp"

#include "libsim/config/durations.hpp"
#include "libsim/config/errors.hpp"
#include "tools/command_line/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <regex>

namespace sim::command_line {

using namespace config;

const char* name_of(sim::ranks::Clock clock) {
    return clock == sim::ranks::Clock::wall ? "wall" : "virtual";
}

config::OptionRow host_row(RunOptions& options) {
    std::vector<std::string> names;
    for (const ranks::HostRow& host : ranks::hosts()) {
        names.emplace_back(host.name);
    }
    return keeping_result({"host", "NAME",
                           fmt::format("how ranks live: {} ({})", fmt::join(names, " or "), name_of(options.host)),
                           Choice{names, [&options](std::size_t i) { options.host = static_cast<ranks::Host>(i); }}});
}

void add_clock_rows(RunOptions& options, std::vector<config::OptionRow>& rows) {
    rows.insert(
        rows.end(),
        {keeping_result({"clock", "NAME", "virtual: as fast as possible; wall: in step with the wall's clock (virtual)",
                         config::enumerator(options.clock, {"virtual", "wall"})}),
         keeping_result({"time-scale", "S", "wall seconds per simulated second, with --clock wall (1)",
                         config::real(options.time_scale, 0, 1e6)}),
         keeping_result({"watch", "", "draw the timeline while it grows, in place of log lines, with --clock wall",
                         config::flag(options.watch)})});
}

void check_watch(const RunOptions& options) {
    if (!options.watch) {
        return;
    }
    if (options.clock != sim::ranks::Clock::wall) {
        throw config::UsageError("--watch shows a run in step with the wall's clock; add --clock wall");
    }
    if (!terminal_at(STDERR_FILENO).cursor_moves) {
        throw config::UsageError(
            "--watch draws on a terminal, and standard error is none on which the cursor moves; --timeline draws the "
            "whole run at its end");
    }
}

config::OptionRow profile_row(RunOptions& options, const std::vector<std::string>& names) {
    return {
        "profile", "NAME|FILE",
        fmt::format("what compute and messages cost: {} or a FILE.toml ({})", fmt::join(names, ", "), options.profile),
        config::name_or_file(options.profile, names)};
}

config::OptionRow watchdog_row(RunOptions& options) {
    return keeping_result({"watchdog", "S", "a rank that runs so long without a simulated operation is hung (30)",
                           config::real(options.watchdog_seconds, 0.001, 1e6)});
}

namespace {

// "kill rank 3 at 120ms"
std::optional<ranks::Kill> kill_of_text(const std::string& text) {
    static const std::regex form(R"( *kill +rank +([0-9]{1,6}) +at +([0-9.]{1,30} *[a-z]{1,3}) *)");
    std::smatch parts;
    if (!std::regex_match(text, parts, form)) {
        return std::nullopt;
    }
    const std::optional<Duration> at = duration_of_text(parts[2]);
    return at ? std::optional(ranks::Kill{.rank = std::stoi(parts[1]), .at = Time{*at}}) : std::nullopt;
}

}  // namespace

config::OptionRow fault_row(RunOptions& options) {
    const auto take = [&options](const std::string& what, const TomlValue& value, bool sets) {
        const auto* const text = std::get_if<std::string>(&value);
        const auto kill = text == nullptr ? std::nullopt : kill_of_text(*text);
        if (!kill) {
            throw UsageError(fmt::format("{} must be 'kill rank R at TIME', such as 'kill rank 1 at 1.5s', not {}",
                                         what, describe(value)));
        }
        if (sets) {
            options.kill = kill;
        }
    };
    return {"fault", "TEXT", "'kill rank 1 at 1.5s': its process is killed at that simulated time", Custom{take}};
}

void check_fault(const RunOptions& options) {
    if (options.kill && options.kill->rank >= options.ranks) {
        throw UsageError(
            fmt::format("--fault: there is no rank {}: ranks are 0 to {}", options.kill->rank, options.ranks - 1));
    }
}

void add_output_rows(RunOptions& options, std::vector<config::OptionRow>& rows) {
    const std::vector<config::OptionRow> outputs = output_rows(
        options.outputs, {.json = "print one JSON object instead of the summary",
                          .timeline = "the timeline, for ui.perfetto.dev",
                          .program = "the program as a GOAL schedule, for ndsim goal and other simulators"});
    rows.insert(rows.end(), outputs.begin(), outputs.end());
    rows.insert(rows.end(), {keeping_result({"verbose", "", "show every log line", config::flag(options.verbose)}),
                             keeping_result({"quiet", "", "show no log lines", config::flag(options.quiet)})});
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
    throw config::UsageError(
        fmt::format("{} ranks are more than the {} that can be {}{}", wanted, row.most_ranks, row.plural, hint));
}

}  // namespace sim::command_line
