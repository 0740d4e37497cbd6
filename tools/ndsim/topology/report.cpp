#include "tools/ndsim/topology/report.hpp"

#include "libsim/network/topologies/topologies.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/record.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sim::tools {

using namespace report;
using namespace report::keys;

namespace {

std::string rate(std::int64_t bytes_per_second) {
    return in_gigabytes_per_second(static_cast<double>(bytes_per_second));
}

std::string time(Duration duration) {
    return in_microseconds(seconds(duration));
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

// The route of a pair on one line; of a long route only its ends.
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

// In a column, seconds are printed in full precision.
template <class T, class Value>
Field<T> latency_field(Value latency) {
    return printed(number<T>("latency_seconds", "Latency in seconds.",
                             [latency](const T& of) { return seconds(std::invoke(latency, of)); }),
                   "{}");
}
template <class T, class Value>
Field<T> bandwidth_field(Value bytes_per_second) {
    return whole<T>("bytes_per_second", "Bandwidth in bytes per second.", bytes_per_second);
}

// A link on the way from one GPU to another.
struct Hop {
    const Topology* topology;
    LinkId id;

    const Link& link() const { return topology->links[id]; }
};

std::vector<Hop> hops_between(const Topology& topology, const RankPair& ends) {
    std::vector<Hop> hops;
    for (const LinkId id : route_of(topology, ends)) {
        hops.push_back({&topology, id});
    }
    return hops;
}

const report::Record<Hop>& hop_record() {
    static const report::Record<Hop> record(
        "A link of the route.",
        {whole<Hop>("link", "Number of the link.", &Hop::id),
         free_text<Hop>("from", "Name of the vertex that it leaves.",
                        [](const Hop& of) { return name_of_vertex(*of.topology, of.link().from); }),
         free_text<Hop>("to", "Name of the vertex that it leads to.",
                        [](const Hop& of) { return name_of_vertex(*of.topology, of.link().to); }),
         bandwidth_field<Hop>([](const Hop& of) { return of.link().bandwidth.bytes_per_second; }),
         latency_field<Hop>([](const Hop& of) { return of.link().latency; })});
    return record;
}

using LinksAlike = std::pair<LinkKind, std::int64_t>;

std::vector<Field<LinksAlike>> links_alike_fields() {
    return {whole<LinksAlike>("count", "How many there are, each direction counted.", &LinksAlike::second),
            bandwidth_field<LinksAlike>([](const LinksAlike& of) { return of.first.bytes_per_second; }),
            latency_field<LinksAlike>([](const LinksAlike& of) { return of.first.latency; })};
}

const report::Record<LinksAlike>& links_alike_record() {
    static const report::Record<LinksAlike> record(
        "Links that are alike.",
        joined<LinksAlike>(
            {{texts<LinksAlike>("between", "The kinds of vertices that it connects.", "Kind of a vertex.",
                                [](const LinksAlike& of) {
                                    return std::vector{name_of(of.first.a), name_of(of.first.b)};
                                })},
             links_alike_fields()}));
    return record;
}

const report::Record<LinksAlike>& links_alike_columns() {
    static const report::Record<LinksAlike> record(
        "Links that are alike.",
        joined<LinksAlike>({{free_text<LinksAlike>("from", "Kind of vertex at one end.",
                                                   [](const LinksAlike& of) { return name_of(of.first.a); }),
                             free_text<LinksAlike>("to", "Kind of vertex at the other end.",
                                                   [](const LinksAlike& of) { return name_of(of.first.b); })},
                            links_alike_fields()}));
    return record;
}

std::vector<LinksAlike> links_alike(const TopologyFacts& facts) {
    return {facts.links.begin(), facts.links.end()};
}

struct ShownTopology {
    const Topology& topology;
    const TopologyFacts& facts;
    const std::optional<RankPair>& ends;

    bool has_routes() const { return topology.gpus > 1; }
};

// The minimum and maximum over the routes.
const report::Record<TopologyFacts>& hops_record() {
    using Facts = TopologyFacts;
    static const report::Record<Facts> record(
        "Lengths of routes; absent for one GPU.",
        {whole<Facts>("min", "Fewest links of a route.", [](const Facts& of) { return of.least.hops; }),
         whole<Facts>("max", "Most links of a route.", [](const Facts& of) { return of.most.hops; }),
         number<Facts>("mean", "Mean number of links of a route.", &Facts::mean_hops)});
    return record;
}
const report::Record<TopologyFacts>& latencies_record() {
    using Facts = TopologyFacts;
    static const report::Record<Facts> record(
        "Latencies of routes; absent for one GPU.",
        {number<Facts>("min", "Shortest latency of a route, in seconds.",
                       [](const Facts& of) { return seconds(of.least.latency); }),
         number<Facts>("max", "Longest latency of a route, in seconds.",
                       [](const Facts& of) { return seconds(of.most.latency); })});
    return record;
}
const report::Record<TopologyFacts>& bandwidths_record() {
    using Facts = TopologyFacts;
    static const report::Record<Facts> record(
        "Bandwidths of routes, each that of its narrowest link; absent for one GPU.",
        {whole<Facts>("min", "Least bandwidth of a route, in bytes per second.",
                      [](const Facts& of) { return of.least.bytes_per_second; }),
         whole<Facts>("max", "Most bandwidth of a route, in bytes per second.",
                      [](const Facts& of) { return of.most.bytes_per_second; })});
    return record;
}

std::vector<Field<ShownTopology>> part_fields() {
    using Shown = ShownTopology;
    return {
        name<Shown>("topology", "Name or file of the topology.", [](const Shown& of) { return of.topology.name; }),
        whole<Shown>("gpus", "GPUs that it connects.", [](const Shown& of) { return of.topology.gpus; }),
        field_of<Shown>("vertices",
                        {{"type", "object"},
                         {"description", "Vertices by kind: GPU, NIC, node switch, network switch."},
                         {"additionalProperties",
                          {{"title", "KIND"}, {"type", "integer"}, {"description", "How many there are."}}}},
                        [](const Shown& of) {
                            Json vertices = Json::object();
                            for (const auto& [kind, count] : of.facts.vertices) {
                                vertices[name_of(kind)] = count;
                            }
                            return vertices;
                        }),
        list_of<Shown>("links", "A row for each kind of link.", links_alike_record(),
                       [](const Shown& of) { return links_alike(of.facts); }),
        values_of<Shown>(
            "levels", "GPUs of a node or router, then of a group of them; of a grid, the strides of its coordinates.",
            "integer", "GPUs of a level.", [](const Shown& of) { return of.topology.levels; })};
}

std::vector<Field<ShownTopology>> route_fields() {
    using Shown = ShownTopology;
    const auto facts = [](const Shown& of) -> const TopologyFacts& { return of.facts; };
    return {whole<Shown>("sources", "GPUs whose routes to all others were considered; absent for one GPU.",
                         [](const Shown& of) { return of.facts.sources; }),
            part<Shown>("hops", hops_record(), facts),
            part<Shown>("latency_seconds", latencies_record(), facts),
            part<Shown>("bytes_per_second", bandwidths_record(), facts),
            whole<Shown>("bisection_bytes_per_second",
                         "Bytes per second, each way, between two halves; absent for one GPU.",
                         [](const Shown& of) { return of.facts.bisection.bytes_per_second; }),
            one_of<Shown>("bisection", {"formula", "halves in rank order"}, "How that was found; absent for one GPU.",
                          [](const Shown& of) { return of.facts.by_formula ? "formula" : "halves in rank order"; })};
}

const report::Record<ShownTopology>& topology_record() {
    using Shown = ShownTopology;
    static const report::Record<Shown> record(
        "One topology.",
        joined<Shown>(
            {part_fields(),
             only_if(route_fields(), &Shown::has_routes),
             {only_if(list_of<Shown>(
                          "route", "The links from A to B; only with --route A,B.", hop_record(),
                          [](const Shown& of) { return hops_between(of.topology, *of.ends); }, "#/definitions/hop"),
                      [](const Shown& of) { return of.ends.has_value(); })}}));
    return record;
}

const report::Record<TopologyRow>& named_topology_record() {
    static const report::Record<TopologyRow> record(
        "A topology.", {name<TopologyRow>("name", "Name for --topology and profiles.", &TopologyRow::name),
                        free_text<TopologyRow>("what", "Short description.", &TopologyRow::what)});
    return record;
}

using TopologyList = std::vector<TopologyRow>;

const report::Record<TopologyList>& topology_list_record() {
    static const report::Record<TopologyList> record(
        "With --list: all names.",
        {list_of<TopologyList>("topologies", "All named topologies.", named_topology_record(), std::identity())});
    return record;
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
    return json_line(topology_record().json({topology, facts, ends}));
}

Table links_of(const TopologyFacts& facts) {
    return links_alike_columns().table(links_alike(facts));
}

Table hops_of(const Topology& topology, const RankPair& ends) {
    return hop_record().table(hops_between(topology, ends));
}

std::string topology_list() {
    TextTable list = list_of_names("");
    for (const TopologyRow& named : named_topologies()) {
        list.rows.push_back({{named.name, named.what}});
    }
    return text_of(list);
}

std::string topology_list_json() {
    return json_line(topology_list_record().json(named_topologies()));
}

Table topology_names() {
    return named_topology_record().table(named_topologies());
}

SchemaText topology_schema() {
    const auto reference = [](const char* definition) { return Json{{"$ref", definition}}; };
    return schema_of_command("topology", {{"oneOf", {reference("#/definitions/one"), reference("#/definitions/list")}},
                                          {"definitions",
                                           {{"one", topology_record().schema()},
                                            {"list", topology_list_record().schema()},
                                            {"hop", hop_record().schema()}}}});
}

SchemaText topology_columns() {
    return columns_of_program("ndsim topology",
                              {{.columns = links_alike_columns().columns()},
                               {.columns = hop_record().columns(), .when = "with --route A,B"},
                               {.columns = named_topology_record().columns(), .when = "with --list"}});
}

}  // namespace sim::tools
