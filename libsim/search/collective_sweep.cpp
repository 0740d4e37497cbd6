#include "libsim/search/collective_sweep.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sim::search {

namespace {

std::vector<int> first_ranks(int count) {
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

std::string name_for(const Sweep& sweep, const CollectiveCase& what) {
    return sweep.custom ? "custom" : what.send_receive ? "direct" : text_of(what.config);
}

std::int64_t by_all(const CollectiveCase& what, std::int64_t bytes_of_each) {
    std::int64_t sum = 0;
    if (__builtin_mul_overflow(bytes_of_each, std::int64_t{what.ranks}, &sum)) {
        throw config::UsageError(
            fmt::format("{} ranks that send {} bytes each send more than 2^63 in all", what.ranks, bytes_of_each));
    }
    return sum;
}

// Every rank sends to the next one; with several nodes, some of these messages cross nodes.
NcclTime messages_by_nccl(const NcclMethod& nccl, const CollectiveCase& what) {
    const bool across = nccl.members.on_node < nccl.members.members;
    return {.time = network::nccl_message_time(nccl.network, what.bytes(), across),
            .sent = by_all(what, what.bytes()),
            .protocol = nccl.network.one_protocol ? "none" : "Simple",
            .latency = across ? nccl.network.message_latency_across + nccl.network.card_latency
                              : nccl.network.message_latency};
}

NcclTime collective_by_nccl(const NcclMethod& nccl, const CollectiveCase& what) {
    const network::NcclChoice choice = network::nccl_choice(nccl.network, what.kind, what.bytes(), nccl.members);
    NcclTime found{.time = network::nccl_time(nccl.network, what.kind, what.bytes(), nccl.members),
                   .sent = by_all(what, network::nccl_bytes_sent(what.kind, what.bytes(), what.ranks)),
                   .algorithm = choice.algorithm,
                   .protocol = choice.protocol,
                   .ways = network::nccl_ways(nccl.network, what.kind, what.bytes(), nccl.members)};
    const auto taken = std::min_element(found.ways.begin(), found.ways.end(),
                                        [](const NcclWay& a, const NcclWay& b) { return a.expected < b.expected; });
    found.latency = taken == found.ways.end() ? 0 : taken->latency;
    return found;
}

TimedMethod timed_by_nccl(const Sweep& sweep, const CollectiveCase& what) {
    NcclTime found = what.send_receive ? messages_by_nccl(*sweep.nccl, what) : collective_by_nccl(*sweep.nccl, what);
    found.library = sweep.library;
    return {network::nccl_name(found.algorithm, found.protocol), what, std::move(found), {}};
}

void add_fastest(const Sweep& sweep, CollectiveCase what, SweepRow& row) {
    const std::vector<int> ranks = first_ranks(what.ranks);
    const ComparisonQuestion question{sweep.cluster, what.kind, Bytes{what.bytes()}, ranks, what.root, {}};
    Comparison contest = fastest_algorithm(question, sweep.configs);
    what.config = contest.winner().config;
    row.timed.push_back({name_for(sweep, what), what, *contest.winner().time, {}});
    row.considered = std::move(contest.all);
}

void add_configs(const Sweep& sweep, const CollectiveCase& what, SweepRow& row) {
    const std::vector<int> ranks = first_ranks(what.ranks);
    for (const AlgorithmConfig& config : sweep.configs) {
        CollectiveCase one = what;
        one.config = config;
        const Schedule schedule = schedule_for(sweep, one);
        row.timed.push_back({name_for(sweep, one),
                             one,
                             collective_time({sweep.cluster, schedule, Bytes{one.bytes()}, ranks, {}, true}),
                             {}});
    }
}

}  // namespace

Schedule schedule_for(const Sweep& sweep, const CollectiveCase& what) {
    return sweep.custom ? *sweep.custom : what.schedule();
}

double TimedMethod::algorithm_bandwidth() const {
    return seconds() > 0 ? static_cast<double>(what.bytes()) / seconds() : 0;
}

std::optional<CollectiveCase> case_of(const CollectiveCase& what, std::int64_t bytes) {
    CollectiveCase sized = what;
    const bool chunks = is_made_of_chunks(what.kind) && !what.send_receive;
    const std::int64_t unit = chunks ? what.ranks : 1;
    sized.elements = bytes / what.type.size / unit * unit;
    return sized.elements == 0 ? std::nullopt : std::optional(sized);
}

SweepRow time_of_size(const Sweep& sweep, const CollectiveCase& what) {
    SweepRow row;
    if (sweep.nccl) {
        row.timed.push_back(timed_by_nccl(sweep, what));
    }
    if (sweep.wires) {
        row.fastest = row.timed.size();
        sweep.only_fastest ? add_fastest(sweep, what, row) : add_configs(sweep, what, row);
        for (std::size_t i = row.fastest + 1; i < row.timed.size(); ++i) {
            row.fastest = row.timed[i].end() < row.best().end() ? i : row.fastest;
        }
    }
    return row;
}

std::vector<std::string> Sweep::methods() const {
    std::vector<std::string> names;
    if (nccl) {
        names.push_back(fmt::format("{}'s model", library));
    }
    if (wires && (only_fastest || what.send_receive)) {
        names.emplace_back("wire time");
    } else if (wires) {
        for (const AlgorithmConfig& config : configs) {
            CollectiveCase one = what;
            one.config = config;
            names.push_back(name_for(*this, one));
        }
    }
    return names;
}

Time TimedMethod::end() const {
    const NcclTime* const nccl = by_nccl();
    return nccl != nullptr ? Time{nccl->time} : on_wires()->end();
}

}  // namespace sim::search
