// Lab 13: the axis of a mesh that gets the links within a node.
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/course/mesh_mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sim::labs {

lab::Program solution_13();

namespace {

constexpr int tp = 0;
constexpr int cp = 1;
constexpr int dp = 2;
constexpr int pp = 3;

struct Mapping {
    MeshAxes axes;
    NodeCosts costs;

    explicit Mapping(const Case& played)
        : axes(axes_of(played.given)),
          costs{.ranks_per_node = static_cast<int>(played.given.whole("ranks_per_node")),
                .within = {.latency_seconds = played.given["latency_seconds"],
                           .bytes_per_second = played.given["bytes_per_second"]},
                .across = {.latency_seconds = played.given["latency_seconds_across"],
                           .bytes_per_second = played.given["bytes_per_second_across"]}} {}

    // Sizes are powers of two, so either all groups along an axis are within nodes, or none.
    Duration time_of(const MeshAxis& axis, int stride) const {
        if (axis.size == 1) {
            return Duration{0};
        }
        const UniformCosts& links = stride * axis.size <= costs.ranks_per_node ? costs.within : costs.across;
        return axis.times * (axis.name == axes[pp].name ? links.message(axis.bytes)
                                                        : 2 * half_ring_time(links, axis.size, axis.bytes));
    }
    Duration time(const std::array<int, 4>& order) const {
        Duration sum{0};
        int stride = 1;
        for (const int each : order) {
            const MeshAxis& axis = axes.at(static_cast<std::size_t>(each));
            sum += time_of(axis, stride);
            stride *= axis.size;
        }
        return sum;
    }
    std::array<int, 4> best() const {
        std::array<int, 4> order{0, 1, 2, 3};
        std::array<int, 4> found = order;
        while (std::next_permutation(order.begin(), order.end())) {
            found = time(order) < time(found) ? order : found;
        }
        return found;
    }
};

struct MeshMessages {
    double bytes;
    double times;
};

Case mapping_case(std::array<double, 4> sizes, std::array<MeshMessages, 4> messages, double per_node, double rate,
                  double latency) {
    const NodeCosts costs{.ranks_per_node = static_cast<int>(per_node),
                          .within = {.latency_seconds = latency, .bytes_per_second = rate},
                          .across = {.latency_seconds = 4 * latency, .bytes_per_second = rate / 10}};
    return {.ranks = static_cast<int>(sizes[tp] * sizes[cp] * sizes[dp] * sizes[pp]),
            .costs = costs.entries(),
            .given = Given({{"tp", sizes[tp]},
                            {"tp_bytes", messages[tp].bytes},
                            {"tp_times", messages[tp].times},
                            {"cp", sizes[cp]},
                            {"cp_bytes", messages[cp].bytes},
                            {"cp_times", messages[cp].times},
                            {"dp", sizes[dp]},
                            {"dp_bytes", messages[dp].bytes},
                            {"dp_times", messages[dp].times},
                            {"pp", sizes[pp]},
                            {"pp_bytes", messages[pp].bytes},
                            {"pp_times", messages[pp].times},
                            {"ranks_per_node", per_node},
                            {"latency_seconds", latency},
                            {"bytes_per_second", rate},
                            {"latency_seconds_across", costs.across.latency_seconds},
                            {"bytes_per_second_across", costs.across.bytes_per_second}})};
}

std::vector<Case> mapping_cases(std::uint64_t seed) {
    Draw draw(seed, 13);
    const double activations = draw.of({16e6, 32e6, 64e6});
    const double rate = draw.of({100e9, 200e9, 400e9});
    const double latency = draw.of({1e-6, 2e-6, 5e-6});
    const double layers = draw.of({4, 6, 8});
    // The usual order: four all-reduces per layer, two passes of keys and values, one all-reduce of all gradients.
    const Case usual = mapping_case({2, 2, 2, 2},
                                    {{{activations, 4 * layers},
                                      {activations / 2, 4 * layers},
                                      {activations * layers / 2, 1},
                                      {activations / 4, 4}}},
                                    4, rate, latency);
    // Long sequences: context parallelism moves the most.
    const Case sequences = mapping_case({4, 2, 2, 1},
                                        {{{activations / 4, 4 * layers},
                                          {activations, 4 * layers},
                                          {activations * layers / 2, 1},
                                          {activations / 4, 4}}},
                                        2, rate, latency);
    // Few samples per update: the gradients move the most.
    const Case gradients = mapping_case({2, 1, 4, 2},
                                        {{{activations / 8, 4 * layers},
                                          {activations / 8, 2 * layers},
                                          {activations * layers * 4, 1},
                                          {activations / 8, 8}}},
                                        8, rate, latency);
    return {usual, sequences, gradients};
}

std::string text_of_order(const Mapping& at, const std::array<int, 4>& order) {
    std::string text;
    for (const int each : order) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", at.axes.at(static_cast<std::size_t>(each)).name);
    }
    return text;
}

// The first violation of the mesh rules, or an empty text. Every rank has a group along each axis, of the axis's size
// and the same for all its members; any two groups of a rank share only the rank itself.
std::string what_is_no_mesh(const Mapping& at, const Record& found) {
    const auto group_of = [&found](const MeshAxis& axis, int rank) -> const std::vector<double>* {
        const auto by_rank = found.reports.find(axis.name);
        return by_rank == found.reports.end() || !by_rank->second.contains(rank) ? nullptr : &by_rank->second.at(rank);
    };
    for (int rank = 0; rank < found.timeline.ranks; ++rank) {
        std::set<double> seen;
        std::size_t all = 0;
        for (const MeshAxis& axis : at.axes) {
            const std::vector<double>* const group = group_of(axis, rank);
            if (group == nullptr || group->size() != static_cast<std::size_t>(axis.size)) {
                return fmt::format("rank {} has no group of {} along {}", rank, axis.size, axis.name);
            }
            for (const double member : *group) {
                const std::vector<double>* const other = group_of(axis, static_cast<int>(member));
                if (other == nullptr || *other != *group) {
                    return fmt::format("ranks {} and {} do not agree on their group along {}", rank, member, axis.name);
                }
            }
            seen.insert(group->begin(), group->end());
            all += group->size() - 1;
        }
        if (seen.size() != all + 1 || !seen.contains(rank)) {
            return fmt::format("rank {} meets another rank along two axes", rank);
        }
    }
    return "";
}

std::vector<Check> grade_mapping(const Case& played, const Record& found, const Record&) {
    const Mapping at(played);
    const std::array<int, 4> best = at.best();
    std::string terms;
    int stride = 1;
    for (const int each : best) {
        const MeshAxis& axis = at.axes.at(static_cast<std::size_t>(each));
        terms += fmt::format("{}{} {} {}", terms.empty() ? "" : " + ", axis.name, text_of(at.time_of(axis, stride)),
                             stride * axis.size <= at.costs.ranks_per_node ? "within" : "across");
        stride *= axis.size;
    }
    const std::string wrong = what_is_no_mesh(at, found);
    return {{.aspect = Aspect::data,
             .ok = wrong.empty(),
             .expected = "a mesh of all axes",
             .found = wrong.empty() ? "a mesh of all axes" : wrong,
             .why = "the groups along an axis cover all ranks, and two ranks meet along one axis at most"},
            time_is(found, at.time(best), fmt::format("innermost first {}: {}", text_of_order(at, best), terms))};
}

double best_time(const Case& played, const Record&) {
    const Mapping at(played);
    return seconds(at.time(at.best()));
}

std::vector<Slip> slips_of_mapping(const Case& played) {
    const Mapping at(played);
    return {
        {"", seconds(at.time({tp, cp, dp, pp})), "This is the usual order, tp, cp, dp, pp; another is faster here."},
        {"", seconds(at.time(largest_first(at.axes, [](const MeshAxis& axis) { return axis.bytes; }))),
         "This orders the axes by one message; bytes x times counts."},
        {"", seconds(at.time(largest_first(at.axes, [](const MeshAxis& axis) { return -axis.bytes * axis.times; }))),
         "This has the axis that moves most outermost, across the slow links."}};
}

using OrderOf = std::array<int, 4> (*)(const MeshAxes& axes);
lab::Program mapped(OrderOf order) {
    return [order](GPU& gpu, const Given& given) {
        MeshAxes axes = axes_of(given);
        lay_out(axes, order(axes));
        run_mapped(gpu, axes);
    };
}

std::array<int, 4> always_usual(const MeshAxes&) {
    return {tp, cp, dp, pp};
}
std::array<int, 4> by_one_message(const MeshAxes& axes) {
    return largest_first(axes, [](const MeshAxis& axis) { return axis.bytes; });
}
std::array<int, 4> the_wrong_way_round(const MeshAxes& axes) {
    return largest_first(axes, [](const MeshAxis& axis) { return -axis.bytes * axis.times; });
}
void all_neighbours(GPU& gpu, const Given& given) {
    MeshAxes axes = axes_of(given);
    for (MeshAxis& axis : axes) {
        axis.stride = 1;
    }
    run_mapped(gpu, axes);
}

std::string says_usual(const Case&, const Record&) {
    return "You always took the order tp, cp, dp, pp. It is the usual one, as tensor parallelism usually moves most; "
           "in one of the "
           "cases another axis does. Compare bytes x times.";
}
std::string says_one_message(const Case& played, const Record& theirs) {
    return fmt::format(
        "{} where {} are possible: you compared single messages. What counts is all that an axis moves in a step, "
        "bytes x times: the gradients are large, but go once.",
        text_of(theirs.end()), text_of(duration_of_seconds(best_time(played, theirs))));
}
std::string says_wrong_way(const Case& played, const Record& theirs) {
    return fmt::format(
        "{} where {} are possible: the axis that moves most is the outermost, across the slow links. Neighbouring "
        "ranks share a node, and stride 1 makes a group of neighbours.",
        text_of(theirs.end()), text_of(duration_of_seconds(best_time(played, theirs))));
}
std::string says_neighbours(const Case&, const Record&) {
    return "All your axes have stride 1, so that the same ranks meet along several of them and others never. The next "
           "axis steps over "
           "a whole group of the one before: its stride is the product of all sizes inside it.";
}

}  // namespace

Lab lab_13();
Lab lab_13() {
    return {.number = 13,
            .folder = "13-mapping",
            .title = "Mapping four axes on nodes",
            .cases = mapping_cases,
            .solution = solution_13(),
            .grade = grade_mapping,
            .mistakes = {{"always-the-usual-order", mapped(always_usual), says_usual},
                         {"one-message-compared", mapped(by_one_message), says_one_message},
                         {"busiest-outermost", mapped(the_wrong_way_round), says_wrong_way},
                         {"all-strides-1", all_neighbours, says_neighbours}},
            .prediction = {.question = "How long does the communication of a step take in the best order?",
                           .truth = best_time},
            .slips = slips_of_mapping};
}

}  // namespace sim::labs
