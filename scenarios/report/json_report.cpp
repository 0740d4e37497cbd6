#include "scenarios/report/json_report.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "scenarios/report/recovery_report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

#include <sys/resource.h>
#include <unistd.h>

namespace sim::scenarios {

namespace {

using Json = nlohmann::ordered_json;

Json rank_report(const sim::ranks::Result& result, std::size_t rank) {
    const RankTotals& totals = result.ranks[rank];
    return {{"rank", rank},
            {"pid", result.pids[rank]},
            {"compute_seconds", seconds(totals.compute)},
            {"communication_seconds", seconds(totals.communication)},
            {"idle_seconds", seconds(totals.idle)},
            {"bytes_sent", totals.bytes_sent},
            {"units_sent", Units::from_billionths(totals.billionths_sent).value()},
            {"messages_sent", totals.messages_sent},
            {"peak_memory_units", Units::from_billionths(totals.peak_billionths).value()}};
}

// What the times below depend on, beside host, profile and mesh.
Json options_report(const Options& options) {
    const bool sgd = options.optimizer == lesson::OptimizerKind::sgd;
    const bool squared = options.shape.loss == lesson::LossKind::mean_squared;
    return {{"items", options.items},
            {"steps", options.steps},
            {"micro_batches", options.item_by_item ? 0 : options.micro_batches},
            {"layers", options.shape.layers},
            {"experts", options.shape.experts},
            {"optimizer", sgd ? "sgd" : "adam"},
            {"loss", squared ? "mean-squared" : "cross-entropy"},
            {"schedule", options.mesh.pp > 1 ? options.schedule->name : ""},
            {"chunks", options.chunks},
            {"sequence_parallel", options.sequence_parallel},
            {"zero", options.zero},
            {"overlap", options.overlap},
            {"buckets", options.buckets},
            {"synchronize", name_of(options.synchronize)},
            {"compress", options.compress},
            {"seed", options.seed}};
}

// The processes that a run really was, this one and those of the ranks; null of a run without processes of its own.
Json process_report(const sim::ranks::Result& result) {
    if (result.used.empty()) {
        return nullptr;
    }
    constexpr std::int64_t kibibyte = 1024;  // in which Linux counts it
    rusage own{};
    getrusage(RUSAGE_SELF, &own);
    Json ranks = Json::array();
    for (std::size_t rank = 0; rank < result.used.size(); ++rank) {
        ranks.push_back({{"rank", rank},
                         {"pid", result.pids[rank]},
                         {"peak_resident_bytes", result.used[rank].peak_resident_bytes},
                         {"cpu_seconds", result.used[rank].cpu_seconds}});
    }
    return {{"launcher_pid", getpid()}, {"launcher_peak_resident_bytes", own.ru_maxrss * kibibyte}, {"ranks", ranks}};
}

// The op and the reason in the words of the report for people.
Json waiting_report(const kernel::WrongOp& one, const std::vector<int>& pids) {
    return {{"rank", one.rank},
            {"pid", pids[static_cast<std::size_t>(one.rank)]},
            {"op", one.op_number},
            {"waits_in", one.what},
            {"waits_for", one.waits_for},
            {"since_seconds", seconds(one.since)},
            {"why", one.why}};
}

}  // namespace

std::string json_report(const Outcome& outcome) {
    const Options& options = outcome.options;
    const sim::ranks::Result& result = outcome.result;
    Json ranks = Json::array();
    for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
        ranks.push_back(rank_report(result, rank));
    }
    const Json report{{"scenario", outcome.scenario},
                      {"host", name_of(options.host)},
                      {"clock", command_line::name_of(options.clock)},
                      {"profile", options.profile},
                      {"ranks", options.ranks},
                      {"mesh",
                       {{"dp", options.mesh.dp},
                        {"tp", options.mesh.tp},
                        {"pp", options.mesh.pp},
                        {"ep", options.mesh.ep},
                        {"cp", options.mesh.cp}}},
                      {"options", options_report(options)},
                      {"given", Json::parse(config::json_text(options.given))},
                      {"simulated_seconds", outcome.simulated_seconds()},
                      {"wall_seconds", result.wall_seconds},
                      {"sequential_seconds", outcome.sequential_seconds},
                      {"speedup", outcome.speedup()},
                      {"efficiency", outcome.efficiency()},
                      {"bubble_fraction", outcome.bubble_fraction()},
                      {"recovery", recovery_report(outcome)},
                      {"per_rank", ranks},
                      {"loss_before", outcome.loss_before},
                      {"loss", outcome.loss},
                      {"weights_sha256", outcome.weights_sha256},
                      {"max_weight_difference", outcome.max_weight_difference},
                      {"timeline_sha256", result.timeline_sha256},
                      {"messages", result.messages},
                      {"ops", result.ops},
                      {"processes", process_report(result)}};
    return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_of_fault(const std::string& scenario, const Options& options, const sim::ranks::Result& result) {
    const sim::ranks::Fault& fault = *result.fault;
    const bool died = fault.rank >= 0;
    const auto rank = static_cast<std::size_t>(std::max(fault.rank, 0));
    Json asked = Json::array();
    for (const faults::Injection& one : options.faults) {
        asked.push_back(to_text(one));
    }
    Json waiting = Json::array();
    for (const kernel::WrongOp& one : fault.ops) {
        waiting.push_back(waiting_report(one, result.pids));
    }
    const Json report{{"scenario", scenario},
                      {"host", name_of(options.host)},
                      {"clock", command_line::name_of(options.clock)},
                      {"profile", options.profile},
                      {"ranks", options.ranks},
                      {"given", Json::parse(config::json_text(options.given))},
                      {"fault",
                       {{"rank", died ? Json(fault.rank) : Json()},
                        {"pid", died ? Json(result.pids[rank]) : Json()},
                        {"signal", died ? Json(fault.signal) : Json()},
                        {"died_seconds", died ? Json(seconds(result.ranks[rank].end)) : Json()},
                        {"dead", fault.dead},
                        {"asked", asked},
                        {"message", fault.message}}},
                      {"waiting", waiting},
                      {"standstill_seconds", seconds(result.end)},
                      {"wall_seconds", result.wall_seconds},
                      {"timeline_sha256", result.timeline_sha256},
                      {"processes", process_report(result)}};
    return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sim::scenarios
