// The memory of each process of a training step, and the savings over one GPU.
#include "libsim/explain/one_gpu.hpp"
#include "libsim/explain/step_sections.hpp"
#include "libsim/training/memory.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace predict;

namespace {

using training::MemoryUse;

struct Kind {
    const char* key;
    const char* heading;
    std::int64_t MemoryUse::*bytes;
};
// The same classes as in `ndsim train` and `ndsim memory`; the CUDA context is part of the reserve.
constexpr std::array kinds{
    Kind{"parameters", "parameters", &MemoryUse::parameters},
    Kind{"gradients", "gradients", &MemoryUse::gradients},
    Kind{"optimizer", "optimizer", &MemoryUse::optimizer},
    Kind{"activations", "activations", &MemoryUse::activations},
    Kind{"working", "workspace", &MemoryUse::working},
    Kind{"buffers", "buffers", &MemoryUse::buffers},
    Kind{"reserve", "reserve", &MemoryUse::reserve},
};

std::vector<FigureColumn> memory_columns(FigureColumn first) {
    std::vector<FigureColumn> columns{std::move(first)};
    for (const Kind& kind : kinds) {
        columns.push_back({kind.key, kind.heading, Unit::bytes, "memory model, docs/memory.md", kind.key});
    }
    columns.push_back({"total", "total", Unit::bytes, "their sum", "total"});
    return columns;
}

FigureRow memory_row(Value first, const MemoryUse& use, std::string same_as) {
    FigureRow row{{std::move(first)}, std::move(same_as)};
    for (const Kind& kind : kinds) {
        row.cells.emplace_back(use.*kind.bytes);
    }
    row.cells.emplace_back(use.total());
    return row;
}

FigureTable processes_table(const training::Memory& memory) {
    FigureTable table{.key = "processes",
                      .title = "A process of each stage at its peak",
                      .columns = memory_columns({"stage", "stage", Unit::count})};
    table.columns.push_back({"free", "free", Unit::bytes, "what the GPU has - total"});
    table.columns.push_back({"when", "when", Unit::words, "", "when"});
    for (const training::StageMemory& stage : memory.stages) {
        FigureRow row =
            memory_row(std::int64_t{stage.stage}, stage.peak, fmt::format("/memory/stages/{}", stage.stage));
        row.cells.emplace_back(memory.capacity - stage.peak.total());
        row.cells.emplace_back(stage.when);
        table.rows.push_back(std::move(row));
    }
    return table;
}

FigureTable savings_table(const MemoryUse& one, const MemoryUse& here) {
    FigureTable table{.key = "saved",
                      .title = "Against one GPU that does it all",
                      .columns = memory_columns({"what", "", Unit::words})};
    MemoryUse saved;
    for (const Kind& kind : kinds) {
        saved.*kind.bytes = one.*kind.bytes - here.*kind.bytes;
    }
    table.rows = {memory_row("on one GPU", one, ""), memory_row("on the fullest of these", here, ""),
                  memory_row("saved", saved, "")};
    return table;
}

}  // namespace

std::optional<Section> explain_memory(const ExplainedStep& explained) {
    const TrainingCase& what = explained.report->what;
    const training::Memory& memory = explained.report->step.memory;
    const MemoryUse& here = memory.fullest().peak;
    const MemoryUse one = training::memory_of(what.model, what.machine, layout_on_one(what.layout)).fullest().peak;
    Section section{.kind = SectionKind::memory};
    section.said = {
        {"The fullest process is one of stage {fullest}: {total} of {capacity}. One GPU that did it all "
         "would hold {one_total}, so spreading it saves {saved} on each."}};
    section.figures = {
        {"fullest", "fullest stage", std::int64_t{memory.fullest().stage}, Unit::count, "largest total",
         "/memory/fullest_stage"},
        {"total", "its memory", here.total(), Unit::bytes, "memory model, docs/memory.md", "/memory/peak"},
        {"capacity", "memory that a GPU has", memory.capacity, Unit::bytes, "hardware file", "/memory/capacity"},
        {"one_total", "on one GPU", one.total(), Unit::bytes, "memory model, of the same step without parallelism"},
        {"saved", "saved", one.total() - here.total(), Unit::bytes, "on one GPU - on the fullest of these"},
    };
    section.tables = {processes_table(memory)};
    if (what.gpus() > 1) {
        section.tables.push_back(savings_table(one, here));
    }
    return section;
}

}  // namespace sim::explain
