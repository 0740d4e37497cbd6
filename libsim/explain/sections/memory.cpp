// The memory of each process at its peak, and the savings over one GPU.
#include "libsim/training/memory.hpp"
#include "libsim/explain/explained_run.hpp"
#include "libsim/explain/explained_step.hpp"
#include "libsim/explain/memory_parts.hpp"
#include "libsim/report/amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

using training::MemoryUse;

std::vector<FigureColumn> memory_columns(FigureColumn first) {
    std::vector<FigureColumn> columns{std::move(first)};
    for (const MemoryPart& part : memory_parts) {
        columns.push_back({part.name, part.name, Unit::gigabytes, "memory model, docs/memory.md", part.name});
    }
    columns.push_back({"total", "total", Unit::gigabytes, "their sum", "total"});
    return columns;
}

FigureRow memory_row(Value first, const MemoryUse& use, std::string same_as) {
    FigureRow row{{std::move(first)}, std::move(same_as)};
    for (const MemoryPart& part : memory_parts) {
        row.cells.emplace_back(use.*part.bytes);
    }
    row.cells.emplace_back(use.total());
    return row;
}

// The first four stages, the fullest, the emptiest and the last two, for a text that cannot show all.
std::vector<std::size_t> picked_stages(const training::Memory& memory) {
    const std::size_t count = memory.stages.size();
    const auto [least, most] =
        std::minmax_element(memory.stages.begin(), memory.stages.end(),
                            [](const auto& a, const auto& b) { return a.peak.total() < b.peak.total(); });
    std::set<std::size_t> stages{static_cast<std::size_t>(least - memory.stages.begin()),
                                 static_cast<std::size_t>(most - memory.stages.begin())};
    for (std::size_t i = 0; i < count; ++i) {
        if (i < 4 || i + 2 >= count) {
            stages.insert(i);
        }
    }
    return {stages.begin(), stages.end()};
}

// The first part of a stage that does not fit; empty: it fits.
std::string overflow_text(const training::StageMemory& stage, std::int64_t capacity) {
    if (stage.peak.total() <= capacity) {
        return "";
    }
    if (!stage.overflow) {
        return "does not fit";
    }
    return *stage.overflow < 0 ? "the states do not fit" : fmt::format("layer {} does not fit", *stage.overflow);
}

FigureTable savings_table(const MemoryUse& one, const MemoryUse& here) {
    FigureTable table{.key = "saved",
                      .title = "Compared with a single GPU, in GB",
                      .columns = memory_columns({"what", "", Unit::words})};
    MemoryUse saved;
    for (const MemoryPart& part : memory_parts) {
        saved.*part.bytes = one.*part.bytes - here.*part.bytes;
    }
    table.rows = {memory_row("on one GPU", one, ""), memory_row("on the fullest GPU", here, ""),
                  memory_row("saved", saved, "")};
    return table;
}

}  // namespace

FigureTable memory_of_stages(const training::Memory& memory) {
    FigureTable table{.key = "processes",
                      .title = "Memory of a rank of each stage at its peak, in GB",
                      .columns = memory_columns({"stage", "stage", Unit::count}),
                      .at = Shown::always,
                      .picked = picked_stages(memory)};
    table.columns.insert(table.columns.end(),
                         {{"free", "left", Unit::gigabytes, "GPU memory - total"},
                          {.key = "in_flight", .heading = "in flight", .unit = Unit::count, .at = Shown::brief},
                          {"when", "when", Unit::words, "", "when"},
                          {.key = "overflow", .heading = "", .unit = Unit::words, .at = Shown::brief}});
    for (const training::StageMemory& stage : memory.stages) {
        FigureRow row =
            memory_row(std::int64_t{stage.stage}, stage.peak, fmt::format("/memory/stages/{}", stage.stage));
        row.cells.insert(row.cells.end(), {memory.capacity - stage.peak.total(), std::int64_t{stage.in_flight},
                                           stage.when, overflow_text(stage, memory.capacity)});
        table.rows.push_back(std::move(row));
    }
    return table;
}

void add_memory(Section& section, const training::Memory& memory) {
    const training::StageMemory& fullest = memory.fullest();
    const std::int64_t used = fullest.peak.total();
    const std::string on = "{memory} of {capacity} on a rank of stage {stage}, in the {when}";
    section.figures.insert(
        section.figures.end(),
        {{"memory", "memory of the fullest GPU", used, Unit::bytes, "memory model, docs/memory.md", "/memory/peak"},
         {"capacity", "GPU memory", memory.capacity, Unit::bytes, "hardware file", "/memory/capacity"},
         {.key = "stage", .value = std::int64_t{fullest.stage}, .unit = Unit::count, .at = Shown::brief},
         {.key = "when", .value = fullest.when, .at = Shown::brief}});
    if (used <= memory.capacity) {
        section.figures.push_back(
            {"left", "left", memory.capacity - used, Unit::bytes, "GPU memory - memory of the fullest GPU"});
        section.brief.push_back({"memory", on + "; {left} left"});
        return;
    }
    section.figures.push_back(
        {"missing", "missing", used - memory.capacity, Unit::bytes, "memory of the fullest GPU - GPU memory"});
    section.figures.push_back({.key = "layer",
                               .value = std::int64_t{fullest.overflow.value_or(-1)},
                               .unit = Unit::count,
                               .at = Shown::brief});
    section.brief.push_back(
        {"memory", "DOES NOT FIT: " + on + ", {missing} too much" +
                       (!fullest.overflow       ? ""
                        : *fullest.overflow < 0 ? ": already the parameters, gradients and optimizer states do not"
                                                : ": layer {layer} is the first that does not")});
}

std::string misfit_line(const training::Memory& memory, const AdviceList& list) {
    const training::StageMemory& fullest = memory.fullest();
    const std::int64_t total = fullest.peak.total();
    const std::string much =
        fmt::format("does not fit: {} of {} on a rank of stage {}", bytes_text(static_cast<double>(total)),
                    bytes_text(static_cast<double>(memory.capacity)), fullest.stage);
    if (list.tried.empty()) {
        return much + "; ndsim plan looks for layouts that do, and says how many GPUs it takes";
    }
    const Advice& nearest = list.tried.front();
    return fmt::format("{}; with {} it would ({}), ndsim plan finds all layouts that do", much, typed(nearest.change),
                       bytes_text(static_cast<double>(nearest.memory)));
}

std::optional<Section> explain_memory(const ExplainedStep& explained) {
    const TrainingCase& what = explained.report->what;
    const training::Memory& memory = explained.report->step.memory;
    Section section{.kind = SectionKind::memory, .tables = {memory_of_stages(memory)}};
    if (explained.level == Level::brief) {
        return section;
    }
    const MemoryUse& here = memory.fullest().peak;
    const MemoryUse one = training::memory_of(what.model, what.machine, layout_on_one(what.layout)).fullest().peak;
    section.said = {
        {"The fullest process belongs to stage {fullest}: {total} of {capacity}. A single GPU would need {one_total}, "
         "so each of these saves {saved}."}};
    section.figures = {
        {"fullest", "fullest stage", std::int64_t{memory.fullest().stage}, Unit::count, "largest total",
         "/memory/fullest_stage"},
        {"total", "its memory", here.total(), Unit::bytes, "memory model, docs/memory.md", "/memory/peak"},
        {"capacity", "GPU memory", memory.capacity, Unit::bytes, "hardware file", "/memory/capacity"},
        {"one_total", "on one GPU", one.total(), Unit::bytes, "memory model, of the same step without parallelism"},
        {"saved", "saved", one.total() - here.total(), Unit::bytes, "on one GPU - on the fullest GPU"},
    };
    if (what.gpus() > 1) {
        section.tables.push_back(savings_table(one, here));
    }
    return section;
}

namespace {

// Billionths of units by label, at the moment of the largest total.
using Classes = std::map<std::string, std::int64_t>;

std::vector<Classes> fullest_moments(const ExplainedRun& run) {
    struct Filling {
        Classes now;
        std::int64_t sum = 0;
        Classes fullest;
        std::int64_t most = 0;
    };
    std::vector<Filling> held(run.ranks());
    for (const Span& span : run.timeline.spans) {
        if (span.kind != OpKind::allocate) {
            continue;
        }
        Filling& own = held.at(static_cast<std::size_t>(span.rank));
        own.now[*span.label] += span.amount - own.sum;
        own.sum = span.amount;
        if (own.sum > own.most) {
            own.most = own.sum;
            own.fullest = own.now;
        }
    }
    std::vector<Classes> found;
    for (Filling& own : held) {
        found.push_back(std::move(own.fullest));
    }
    return found;
}

std::string key_of_label(std::string label) {
    std::replace(label.begin(), label.end(), ' ', '_');
    return label;
}

FigureTable rank_memory(const ExplainedRun& run) {
    const std::vector<Classes> moments = fullest_moments(run);
    Classes all;
    for (const Classes& one : moments) {
        all.insert(one.begin(), one.end());
    }
    FigureTable table{.key = "processes",
                      .title = "Memory of each rank at its peak, in data units",
                      .columns = {{"rank", "rank", Unit::count}}};
    for (const auto& [label, amount] : all) {
        table.columns.push_back({key_of_label(label), label, Unit::count, "as the programs allocated it"});
    }
    table.columns.push_back({"total", "total", Unit::count, "simulated", "peak_memory_units"});
    for (std::size_t rank = 0; rank < run.ranks(); ++rank) {
        const std::string pointer = fmt::format("/per_rank/{}", rank);
        FigureRow row{{static_cast<std::int64_t>(rank)}, pointer};
        for (const auto& [label, amount] : all) {
            const auto found = moments[rank].find(label);
            row.cells.emplace_back(Units::from_billionths(found == moments[rank].end() ? 0 : found->second).value());
        }
        row.cells.push_back(value_at(run.result, pointer + "/peak_memory_units"));
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace

std::optional<Section> explain_memory(const ExplainedRun& run) {
    std::size_t fullest = 0;
    const auto peak = [&](std::size_t rank) {
        return run.result.at("per_rank").at(rank).at("peak_memory_units").get<double>();
    };
    for (std::size_t rank = 1; rank < run.ranks(); ++rank) {
        fullest = peak(rank) > peak(fullest) ? rank : fullest;
    }
    Section section{.kind = SectionKind::memory};
    section.figures = {{"fullest", "fullest rank", static_cast<std::int64_t>(fullest), Unit::count, "largest total"},
                       figure_at(run, fmt::format("/per_rank/{}/peak_memory_units", fullest),
                                 {"peak", "its memory (units)", {}, Unit::count, "simulated, at its peak"})};
    section.said = {{"Rank {fullest} needs the most memory: {peak} data units."}};
    if (!run.alone.is_null()) {
        const double alone = run.alone.at("per_rank").at(0).at("peak_memory_units").get<double>();
        section.figures.push_back(
            {"alone", "on one GPU (units)", alone, Unit::count, "0d_sequential, of the same training"});
        section.figures.push_back(
            {"saved", "saved (units)", alone - peak(fullest), Unit::count, "on one GPU - on the fullest GPU"});
        section.said.push_back({"A single GPU would need {alone}, so each rank saves {saved} or more."});
    }
    section.tables = {rank_memory(run)};
    return section;
}

}  // namespace sim::explain
