// Distribution of a scenario's run: the items, layers and weights of each rank, read from its own timeline.
#include "libsim/explain/run_sections.hpp"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace sim::explain {

namespace {

// The number after `word` in a label: 3 in "forward of micro-batch 3, layer 1".
std::optional<int> number_behind(std::string_view label, std::string_view word) {
    const std::size_t at = label.find(word);
    int number = 0;
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const char* const begin = label.data() + at + word.size();
    const char* const end = label.data() + label.size();
    return std::from_chars(begin, end, number).ec == std::errc() ? std::optional(number) : std::nullopt;
}

// Formats numbers as ranges: "0 to 3, 8".
std::string ranges_text(const std::set<int>& numbers) {
    std::string text;
    for (auto at = numbers.begin(); at != numbers.end();) {
        const int first = *at;
        int last = first;
        while (++at != numbers.end() && *at == last + 1) {
            last = *at;
        }
        text += text.empty() ? "" : ", ";
        text += first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
    }
    return text.empty() ? "all" : text;
}

struct Held {
    std::set<int> items;
    std::set<int> micro_batches;
    std::set<int> layers;
    double weights = 0;
};

std::vector<Held> held_by_rank(const ExplainedRun& run) {
    std::vector<Held> held(run.ranks());
    for (const Span& span : run.timeline.spans) {
        Held& own = held.at(static_cast<std::size_t>(span.rank));
        const auto note = [&](std::set<int>& set, std::string_view word) {
            if (const auto number = number_behind(*span.label, word)) {
                set.insert(*number);
            }
        };
        if (span.kind == OpKind::compute) {
            note(own.items, "item ");
            note(own.micro_batches, "micro-batch ");
            note(own.layers, "layer ");
        } else if (span.kind == OpKind::allocate && own.weights == 0 && *span.label == "weights") {
            own.weights = Units::from_billionths(span.amount).value();
        }
    }
    return held;
}

FigureTable held_table(const std::vector<Held>& held, bool by_items) {
    FigureTable table{.key = "ranks",
                      .title = "What each rank worked on",
                      .columns = {{"rank", "rank", Unit::count},
                                  {"samples", by_items ? "items" : "micro-batches", Unit::words, "of its computations"},
                                  {"layers", "layers", Unit::words, "of its computations"},
                                  {"weights", "weights (units)", Unit::count, "as it allocated them"}}};
    for (std::size_t rank = 0; rank < held.size(); ++rank) {
        const Held& own = held[rank];
        table.rows.push_back({{static_cast<std::int64_t>(rank), ranges_text(by_items ? own.items : own.micro_batches),
                               ranges_text(own.layers), own.weights}});
    }
    return table;
}

struct Axis {
    const char* key;
    const char* name;
    const char* how;
};
constexpr Axis run_axes[] = {{"dp", "replicas (dp)", "each works on its own items"},
                             {"tp", "matrices split over (tp)", "each has a part of every matrix"},
                             {"pp", "stages (pp)", "each has some of the layers"},
                             {"ep", "experts spread over (ep)", "each has some of the experts"},
                             {"cp", "sequences split over (cp)", "each has some of the positions"}};

}  // namespace

std::optional<Section> explain_run_holdings(const ExplainedRun& run) {
    const std::vector<Held> held = held_by_rank(run);
    const bool by_items = !held.empty() && !held.front().items.empty();
    Section section{.kind = SectionKind::holdings};
    section.said = {{"{items} items of each step and {layers} layers lie on {ranks} GPUs."}};
    section.figures = {
        figure_at(run, "/options/items", {"items", "items of a step", {}, Unit::count, "--items"}),
        figure_at(run, "/options/layers", {"layers", "layers of the model", {}, Unit::count, "--layers"}),
        figure_at(run, "/ranks", {"ranks", "GPUs", {}, Unit::count, "dp x tp x pp x ep x cp"})};
    for (const Axis& one : run_axes) {
        if (run.mesh(one.key) > 1) {
            section.figures.push_back(
                figure_at(run, std::string("/mesh/") + one.key, {one.key, one.name, {}, Unit::count, one.how}));
        }
    }
    section.tables = {held_table(held, by_items)};
    return section;
}

}  // namespace sim::explain
