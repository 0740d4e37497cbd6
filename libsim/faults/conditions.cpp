#include "libsim/faults/conditions.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/random.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::faults {

namespace {

constexpr Pace none_of_it{0, 1};

Slowing slowing_of(double factor, const Window& window) {
    return {window, slowed({1, 1}, factor)};
}

}  // namespace

Conditions::Conditions(std::span<const Injection> injections, int ranks, const Network& network)
    : parts_(parts_of(network, ranks)), topology_(network->shared_topology()) {
    for (const Injection& injection : drawn(injections, ranks, network)) {
        std::visit([this](const auto& one) { apply(one); }, injection);
    }
}

Conditions::Program& Conditions::program(int rank, const char* what) {
    if (rank < 0 || rank >= parts_.ranks) {
        throw ProgramError(fmt::format("there is no rank {} to {}: ranks are 0 to {}", rank, what, parts_.ranks - 1));
    }
    programs_.resize(static_cast<std::size_t>(parts_.ranks));
    return programs_[static_cast<std::size_t>(rank)];
}

void Conditions::apply(const KillRank& kill) {
    Program& self = program(kill.rank, "kill");
    self.dies_at = std::min(self.dies_at, kill.at);
}

void Conditions::apply(const KillNode& kill) {
    if (parts_.nodes() == 0) {
        throw ProgramError(
            "there is no node to kill: this network has none; kill its ranks, or use a network with nodes");
    }
    if (kill.node < 0 || kill.node >= parts_.nodes()) {
        throw ProgramError(
            fmt::format("there is no node {} to kill: nodes are 0 to {}", kill.node, parts_.nodes() - 1));
    }
    for (int rank = 0; rank < parts_.ranks; ++rank) {
        if (parts_.node_of[static_cast<std::size_t>(rank)] == kill.node) {
            apply(KillRank{rank, kill.at});
        }
    }
}

void Conditions::apply(const StopRank& stop) {
    Program& self = program(stop.rank, "stop");
    const Slowing stopped{{.from = stop.at, .until = later(stop.at, stop.span)}, none_of_it};
    self.stops.push_back(stopped);
    self.slowings.push_back(stopped);
}

void Conditions::apply(const SlowRank& slow) {
    program(slow.rank, "slow down").slowings.push_back(slowing_of(slow.factor, slow.window));
}

void Conditions::apply(const Noise& noise) {
    for (int rank = 0; rank < parts_.ranks; ++rank) {
        if (noise.rank == rank || noise.rank == -1) {
            program(rank, "disturb").noises.push_back(noise);
        }
    }
    if (noise.rank >= parts_.ranks) {
        program(noise.rank, "disturb");
    }
}

void Conditions::apply(const SlowLink& slow) {
    if (topology_) {
        return slow_cable(slow, *topology_);
    }
    const auto* const a = std::get_if<int>(&slow.a);
    const auto* const b = std::get_if<int>(&slow.b);
    if (a == nullptr || b == nullptr) {
        throw ProgramError(fmt::format("there is no '{}': only a topology has vertices with names; name two ranks",
                                       std::get<std::string>(a == nullptr ? slow.a : slow.b)));
    }
    if (std::max(*a, *b) >= parts_.ranks || *a == *b) {
        throw ProgramError(
            fmt::format("there is no link {}-{}: it needs two different ranks of 0 to {}", *a, *b, parts_.ranks - 1));
    }
    links_.push_back({.a = *a, .b = *b, .slowing = slowing_of(slow.factor, slow.window)});
}

// Nothing to do: drawn() has already replaced them by failures at fixed times.
void Conditions::apply(const RandomFailures& /*drawn*/) {}

void Conditions::apply(const DropNic& drop) {
    if (drop.nic < 0 || drop.nic >= parts_.card_count()) {
        throw ProgramError(fmt::format("there is no nic {}: they are 0 to {}{}", drop.nic, parts_.card_count() - 1,
                                       parts_.cards.empty() ? ", one for each rank" : ""));
    }
    loses_messages_ = true;
    LinkCondition lost{.a = drop.nic, .slowing = {{.from = drop.at}, none_of_it}};
    lost.card = parts_.cards.empty() ? -1 : parts_.cards[static_cast<std::size_t>(drop.nic)];
    links_.push_back(lost);
}

namespace {

int vertex_of(const Topology& topology, const LinkEnd& end) {
    if (const auto* const gpu = std::get_if<int>(&end)) {
        if (*gpu < topology.gpus) {
            return *gpu;
        }
        throw ProgramError(fmt::format("there is no GPU {}: {} has 0 to {}", *gpu, topology.name, topology.gpus - 1));
    }
    const std::string& name = std::get<std::string>(end);
    for (std::size_t vertex = 0; vertex < topology.vertices.size(); ++vertex) {
        if (topology.vertices[vertex].name == name) {
            return static_cast<int>(vertex);
        }
    }
    std::vector<std::string> names;
    for (const Vertex& vertex : topology.vertices) {
        names.push_back(vertex.name);
    }
    throw ProgramError(fmt::format("{} has no '{}'{}", topology.name, name, did_you_mean(name, names)));
}

std::string neighbours_of(const Topology& topology, int vertex) {
    std::string names;
    for (const Link& link : topology.links) {
        if (link.from == vertex) {
            names += fmt::format("{}'{}'", names.empty() ? "" : ", ",
                                 topology.vertices[static_cast<std::size_t>(link.to)].name);
        }
    }
    return names.empty() ? "nowhere" : names;
}

}  // namespace

void Conditions::slow_cable(const SlowLink& slow, const Topology& topology) {
    const int a = vertex_of(topology, slow.a);
    const int b = vertex_of(topology, slow.b);
    bool found = false;
    for (std::size_t id = 0; id < topology.links.size(); ++id) {
        const Link& link = topology.links[id];
        if ((link.from == a && link.to == b) || (link.from == b && link.to == a)) {
            found = true;
            bandwidth_changes_.push_back({slowing_of(slow.factor, slow.window), static_cast<LinkId>(id)});
        }
    }
    if (!found) {
        const auto name = [&](int vertex) { return topology.vertices[static_cast<std::size_t>(vertex)].name; };
        throw ProgramError(fmt::format("no link joins '{}' and '{}': those of '{}' lead to {}", name(a), name(b),
                                       name(a), neighbours_of(topology, a)));
    }
}

Time Conditions::goes_on_at(int rank, Time at) const {
    return programs_.empty() ? at : end_under(at, Duration{1}, of(rank).stops) - Duration{1};
}

Duration Conditions::with_noise(int rank, std::uint32_t op_number, Duration work) const {
    constexpr double fixed_point = 0x1p32;
    Wide extra = 0;
    for (const Noise& noise : of(rank).noises) {
        const std::uint64_t place = (std::uint64_t{static_cast<std::uint32_t>(rank)} << 32U) | op_number;
        const double share = 2 * noise.mean * unit_interval(split_mix(split_mix(noise.seed) ^ split_mix(place)));
        extra += Wide{work.count()} * static_cast<std::int64_t>(share * fixed_point);
    }
    return later(Time{work}, Duration{static_cast<std::int64_t>(extra >> 32)}).time_since_epoch();
}

Time Conditions::end_of_computation(int rank, std::uint32_t op_number, Time begin, Duration work) const {
    return end_under(begin, with_noise(rank, op_number, work), of(rank).slowings);
}

bool Conditions::passes_card(int card, int source, int target) const {
    std::vector<LinkId> route;
    topology_->append_route(source, target, route);
    return std::any_of(route.begin(), route.end(),
                       [&](LinkId id) { return topology_->links[id].from == card || topology_->links[id].to == card; });
}

// Without nodes each rank is alone with its card.
bool Conditions::on_one_node(int a, int b) const {
    const std::vector<int>& nodes = parts_.node_of;
    return !nodes.empty() && nodes[static_cast<std::size_t>(a)] == nodes[static_cast<std::size_t>(b)];
}

bool Conditions::concerns(const LinkCondition& link, int source, int target) const {
    if (link.card >= 0) {
        return passes_card(link.card, source, target);
    }
    if (link.b >= 0) {
        return (link.a == source && link.b == target) || (link.a == target && link.b == source);
    }
    return (link.a == source || link.a == target) && !on_one_node(source, target);
}

bool Conditions::concerns(const LinkCondition& link, const Group& group) const {
    if (!group.contains(link.a)) {
        return false;
    }
    if (link.b >= 0) {
        return group.contains(link.b);
    }
    for (int index = 0; index < group.size(); ++index) {
        if (group.rank_at(index) != link.a && !on_one_node(group.rank_at(index), link.a)) {
            return true;
        }
    }
    return false;
}

Time Conditions::end_of_message(int source, int target, Time begin, Duration work) const {
    std::vector<Slowing> slowings;
    for (const LinkCondition& link : links_) {
        if (!link.slowing.stops() && concerns(link, source, target)) {
            slowings.push_back(link.slowing);
        }
    }
    return end_under(begin, work, slowings);
}

bool Conditions::loses(int source, int target, Time begin) const {
    return std::any_of(links_.begin(), links_.end(), [&](const LinkCondition& link) {
        return link.slowing.stops() && begin >= link.slowing.window.from && concerns(link, source, target);
    });
}

Time Conditions::end_of_collective(const Group& group, Time begin, Duration work) const {
    std::vector<Slowing> slowings;
    for (const LinkCondition& link : links_) {
        if (!link.slowing.stops() && concerns(link, group)) {
            slowings.push_back(link.slowing);
        }
    }
    return end_under(begin, work, slowings);
}

bool Conditions::loses(const Group& group, Time begin) const {
    return std::any_of(links_.begin(), links_.end(), [&](const LinkCondition& link) {
        return link.slowing.stops() && begin >= link.slowing.window.from && concerns(link, group);
    });
}

}  // namespace sim::faults
