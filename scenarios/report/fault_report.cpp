#include "scenarios/report/fault_report.hpp"

#include "scenarios/report/process_report.hpp"

#include <nlohmann/json.hpp>

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
    const auto rank = static_cast<std::size_t>(fault.rank);
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
                          {{"rank", fault.rank},
                           {"pid", result.pids[rank]},
                           {"signal", fault.signal},
                           {"asked_seconds", seconds(options.kill->at)},
                           {"died_seconds", seconds(result.ranks[rank].end)},
                           {"message", fault.message}}},
                         {"waiting", waiting},
                         {"standstill_seconds", seconds(result.end)},
                         {"wall_seconds", result.wall_seconds},
                         {"timeline_sha256", result.timeline_sha256},
                         {"processes", process_report(result)}};
    return report.dump(-1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace sim::scenarios
