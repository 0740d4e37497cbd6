#include "tools/command_line/run_options.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

namespace sim::scenarios {

namespace {

constexpr int most_processes = 4'096;
constexpr int most_fibers = 100'000;

}  // namespace

const char* name_of(sim::ranks::Host host) {
    return host == sim::ranks::Host::process ? "process" : "fiber";
}

const char* name_of(sim::ranks::Clock clock) {
    return clock == sim::ranks::Clock::wall ? "wall" : "virtual";
}

OptionRow host_row(RunOptions& options) {
    return {"host", "NAME", "how ranks live: process or fiber (process)",
            enumerator(options.host, {"process", "fiber"})};
}

void add_clock_rows(RunOptions& options, std::vector<OptionRow>& rows) {
    rows.push_back({"clock", "NAME", "virtual: as fast as possible; wall: in step with the wall's clock (virtual)",
                    enumerator(options.clock, {"virtual", "wall"})});
    rows.push_back({"time-scale", "S", "wall seconds per simulated second, with --clock wall (1)",
                    real(options.time_scale, 0, 1e6)});
}

OptionRow profile_row(RunOptions& options, const std::string& names) {
    return {"profile", "NAME|FILE",
            fmt::format("what compute and messages cost: {} or a FILE.toml ({})", names, options.profile),
            text(options.profile)};
}

OptionRow json_row(RunOptions& options) {
    return {"json", "", "print one JSON object instead of the summary", flag(options.json)};
}

OptionRow watchdog_row(RunOptions& options) {
    return {"watchdog", "S", "a rank that runs so long without a simulated operation is hung (30)",
            real(options.watchdog_seconds, 0.001, 1e6)};
}

void add_output_rows(RunOptions& options, std::vector<OptionRow>& rows) {
    rows.insert(rows.end(),
                {{"trace", "FILE", "write the timeline as Chrome trace JSON, for ui.perfetto.dev", text(options.trace)},
                 json_row(options),
                 {"verbose", "", "show every log line", flag(options.verbose)},
                 {"quiet", "", "show no log lines", flag(options.quiet)}});
}

void check_host(sim::ranks::Host host, std::int64_t ranks) {
    const bool processes = host == sim::ranks::Host::process;
    const int most = processes ? most_processes : most_fibers;
    if (ranks > most) {
        throw UsageError(fmt::format("{} ranks are more than the {} that can be {}{}", ranks, most,
                                     processes ? "processes" : "fibers",
                                     processes ? "; --host fiber can have more" : ""));
    }
}

}  // namespace sim::scenarios
