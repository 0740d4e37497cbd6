#include "tools/ndsim/topology_report.hpp"

#include "libsim/network/topologies/named.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace sim::tools {

using namespace report;

namespace {

using Json = nlohmann::ordered_json;

std::string rate(std::int64_t bytes_per_second) {
    return fmt::format("{:.6g} GB/s", static_cast<double>(bytes_per_second) / 1e9);
}

std::string time(Duration duration) {
    return fmt::format("{:.6g} us", static_cast<double>(duration.count()) / 1e6);
}

std::string range(const std::string& low, const std::string& high) {
    return low == high ? low : fmt::format("{} to {}", low, high);
}

std::string counted(std::int64_t count, const std::string& what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : what.ends_with("switch") ? "es" : "s");
}

const std::string& name_of_vertex(const Topology& topology, int vertex) {
    return topology.vertices[static_cast<std::size_t>(vertex)].name;
}

std::vector<LinkId> route_of(const Topology& topology, const RankPair& ends) {
    std::vector<LinkId> route;
    if (ends.first != ends.second) {
        topology.append_route(ends.first, ends.second, route);
    }
    return route;
}

std::string links_text(const TopologyFacts& facts) {
    TextTable table{.columns = {{""}, {"", Align::left}, {""}, {""}}, .rows = {}, .margin = "  "};
    for (const auto& [kind, count] : facts.links) {
        table.rows.push_back({{fmt::format("{}", count), fmt::format("{} - {}", name_of(kind.a), name_of(kind.b)),
                               rate(kind.bytes_per_second), time(kind.latency)}});
    }
    return text_of(table);
}

// On one line, unless it is long: then its ends.
std::string example_text(const Topology& topology, const RankPair& pair) {
    const std::vector<LinkId> route = route_of(topology, pair);
    const RouteFacts facts = route_facts(topology, route);
    std::string way = name_of_vertex(topology, pair.first);
    for (std::size_t i = 0; i < route.size(); ++i) {
        if (route.size() > 12 && i == 3) {
            way += fmt::format(" > … {} more", route.size() - 5);
            i = route.size() - 2;
        }
        way += " > " + name_of_vertex(topology, topology.links[route[i]].to);
    }
    return fmt::format("  {} to {}: {}, {}, {}\n    {}\n", pair.first, pair.second, counted(std::ssize(route), "hop"),
                       time(facts.latency), rate(facts.bytes_per_second), way);
}

Json range_of(const auto& low, const auto& high) {
    return {{"min", low}, {"max", high}};
}

Json links_json(const TopologyFacts& facts) {
    Json links = Json::array();
    for (const auto& [kind, count] : facts.links) {
        links.push_back({{"between", {name_of(kind.a), name_of(kind.b)}},
                         {"count", count},
                         {"bytes_per_second", kind.bytes_per_second},
                         {"latency_seconds", seconds(kind.latency)}});
    }
    return links;
}

Json route_json(const Topology& topology, const RankPair& ends) {
    Json hops = Json::array();
    for (const LinkId id : route_of(topology, ends)) {
        const Link& link = topology.links[id];
        hops.push_back({{"link", id},
                        {"from", name_of_vertex(topology, link.from)},
                        {"to", name_of_vertex(topology, link.to)},
                        {"bytes_per_second", link.bandwidth.bytes_per_second},
                        {"latency_seconds", seconds(link.latency)}});
    }
    return hops;
}

}  // namespace

std::string topology_text(const Topology& topology, const TopologyFacts& facts) {
    std::string text = fmt::format("{}: {}", topology.name, counted(topology.gpus, "GPU"));
    for (const auto& [kind, count] : facts.vertices) {
        text += kind == VertexKind::gpu ? "" : ", " + counted(count, name_of(kind));
    }
    if (!topology.levels.empty()) {
        text += fmt::format("\nlevels: {} GPUs", fmt::join(topology.levels, ", "));
    }
    text +=
        fmt::format("\n\nlinks, each direction of a cable counted: {}\n{}", topology.links.size(), links_text(facts));
    if (topology.gpus == 1) {
        return text;
    }
    const std::string from =
        facts.sources == topology.gpus ? "all pairs" : fmt::format("from {} of the GPUs to all others", facts.sources);
    TextTable routes = list_of_names("  ");
    routes.rows = {{{"hops", fmt::format("{}, mean {:.4g}",
                                         range(fmt::format("{}", facts.least.hops), fmt::format("{}", facts.most.hops)),
                                         facts.mean_hops)}},
                   {{"latency", range(time(facts.least.latency), time(facts.most.latency))}},
                   {{"bandwidth", range(rate(facts.least.bytes_per_second), rate(facts.most.bytes_per_second))}}};
    text += fmt::format("\nroutes ({})\n{}", from, text_of(routes));
    text +=
        fmt::format("\nbisection bandwidth, each way: {} ({})\n\nexamples\n", rate(facts.bisection.bytes_per_second),
                    facts.by_formula ? "by its formula" : "between the halves in rank order");
    for (const RankPair& pair : example_pairs(topology)) {
        text += example_text(topology, pair);
    }
    return text;
}

std::string route_text(const Topology& topology, const RankPair& ends) {
    const std::vector<LinkId> route = route_of(topology, ends);
    const RouteFacts facts = route_facts(topology, route);
    const std::string title = fmt::format("{}: from {} to {}\n\n", topology.name, ends.first, ends.second);
    TextTable table{.columns = {{""}, {"", Align::left}, {"", Align::left, 1}, {""}, {""}}, .rows = {}, .margin = "  "};
    for (std::size_t i = 0; i < route.size(); ++i) {
        const Link& link = topology.links[route[i]];
        table.rows.push_back(
            {{fmt::format("{}", i + 1), name_of_vertex(topology, link.from), "> " + name_of_vertex(topology, link.to),
              rate(link.bandwidth.bytes_per_second), time(link.latency)}});
    }
    if (route.empty()) {
        return title + "  nothing: it is the same GPU\n";
    }
    return title + text_of(table) +
           fmt::format("\n  {}, {}, {}\n", counted(std::ssize(route), "hop"), time(facts.latency),
                       rate(facts.bytes_per_second));
}

std::string topology_json(const Topology& topology, const TopologyFacts& facts, const std::optional<RankPair>& ends) {
    Json vertices = Json::object();
    for (const auto& [kind, count] : facts.vertices) {
        vertices[name_of(kind)] = count;
    }
    Json report{{"topology", topology.name},
                {"gpus", topology.gpus},
                {"vertices", vertices},
                {"links", links_json(facts)},
                {"levels", topology.levels}};
    if (topology.gpus > 1) {
        report["sources"] = facts.sources;
        report["hops"] = range_of(facts.least.hops, facts.most.hops);
        report["hops"]["mean"] = facts.mean_hops;
        report["latency_seconds"] = range_of(seconds(facts.least.latency), seconds(facts.most.latency));
        report["bytes_per_second"] = range_of(facts.least.bytes_per_second, facts.most.bytes_per_second);
        report["bisection_bytes_per_second"] = facts.bisection.bytes_per_second;
        report["bisection"] = facts.by_formula ? "formula" : "halves in rank order";
    }
    if (ends) {
        report["route"] = route_json(topology, *ends);
    }
    return report.dump() + "\n";
}

report::Table links_of(const TopologyFacts& facts) {
    using report::Cells;
    report::Table table{.columns = {{"from", report::Cells::words},
                                    {"to", report::Cells::words},
                                    {"count"},
                                    {"bytes_per_second"},
                                    {"latency_seconds"}},
                        .rows = {}};
    for (const auto& [kind, count] : facts.links) {
        table.rows.push_back({name_of(kind.a), name_of(kind.b), std::to_string(count),
                              std::to_string(kind.bytes_per_second), fmt::format("{}", seconds(kind.latency))});
    }
    return table;
}

report::Table hops_of(const Topology& topology, const RankPair& ends) {
    using report::Cells;
    report::Table table{.columns = {{"link"},
                                    {"from", report::Cells::words},
                                    {"to", report::Cells::words},
                                    {"bytes_per_second"},
                                    {"latency_seconds"}},
                        .rows = {}};
    for (const LinkId id : route_of(topology, ends)) {
        const Link& link = topology.links[id];
        table.rows.push_back({std::to_string(id), name_of_vertex(topology, link.from),
                              name_of_vertex(topology, link.to), std::to_string(link.bandwidth.bytes_per_second),
                              fmt::format("{}", seconds(link.latency))});
    }
    return table;
}

std::string topology_list() {
    TextTable list = list_of_names("");
    for (const TopologyRow& named : named_topologies()) {
        list.rows.push_back({{named.name, named.what}});
    }
    return text_of(list);
}

std::string topology_list_json() {
    Json names = Json::array();
    for (const TopologyRow& named : named_topologies()) {
        names.push_back({{"name", named.name}, {"what", named.what}});
    }
    return Json{{"topologies", names}}.dump() + "\n";
}

report::Table topology_names() {
    report::Table table{.columns = {{"name", report::Cells::names}, {"what", report::Cells::words}}, .rows = {}};
    for (const TopologyRow& named : named_topologies()) {
        table.rows.push_back({named.name, named.what});
    }
    return table;
}

}  // namespace sim::tools
