#include "scenarios/report/fault_report.hpp"

#include "scenarios/report/process_report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace sim::scenarios {

namespace {

using Ordered = nlohmann::ordered_json;

// The op and the reason in the words of the report for people.
Ordered waiting_report(const kernel::WrongOp& one, const std::vector<int>& pids) {
    return {{"rank", one.rank},
            {"pid", pids[static_cast<std::size_t>(one.rank)]},
            {"op", one.op_number},
            {"waits_in", one.what},
            {"waits_for", one.waits_for},
            {"since_seconds", seconds(one.since)},
            {"why", one.why}};
}

}  // namespace

std::string json_of_fault(const std::string& scenario, const Options& options, const sim::ranks::Result& result) {
    const sim::ranks::Fault& fault = *result.fault;
    const bool died = fault.rank >= 0;
    const auto rank = static_cast<std::size_t>(std::max(fault.rank, 0));
    Ordered asked = Ordered::array();
    for (const faults::Injection& one : options.faults) {
        asked.push_back(to_text(one));
    }
    Ordered waiting = Ordered::array();
    for (const kernel::WrongOp& one : fault.ops) {
        waiting.push_back(waiting_report(one, result.pids));
    }
    const Ordered report{{"scenario", scenario},
                         {"host", name_of(options.host)},
                         {"clock", command_line::name_of(options.clock)},
                         {"profile", options.profile},
                         {"ranks", options.ranks},
                         {"given", Ordered::parse(config::json_text(options.given))},
                         {"fault",
                          {{"rank", died ? Ordered(fault.rank) : Ordered()},
                           {"pid", died ? Ordered(result.pids[rank]) : Ordered()},
                           {"signal", died ? Ordered(fault.signal) : Ordered()},
                           {"died_seconds", died ? Ordered(seconds(result.ranks[rank].end)) : Ordered()},
                           {"dead", fault.dead},
                           {"asked", asked},
                           {"message", fault.message}}},
                         {"waiting", waiting},
                         {"standstill_seconds", seconds(result.end)},
                         {"wall_seconds", result.wall_seconds},
                         {"timeline_sha256", result.timeline_sha256},
                         {"processes", process_report(result)}};
    return report.dump(-1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace sim::scenarios
