// The processes: as torchrun starts them for a step, and as they really were for the run of a scenario.
#include "libsim/explain/explained_run.hpp"
#include "libsim/explain/explained_step.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/training/memory.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

// Rough sizes: a Python process with PyTorch and CUDA, and the unshared memory of a forked worker.
constexpr double trainer_bytes = 3e9;
constexpr double worker_bytes = 0.4e9;
constexpr double launcher_bytes = 0.3e9;

constexpr int most_drawn = 8;

// Total over a node.
struct HostMemory {
    double trainers = 0;
    double loaders = 0;
    double batches = 0;  // ready batches, and pinned ones
    double offloaded = 0;
    double all() const { return trainers + loaders + batches + offloaded + launcher_bytes; }
};

HostMemory host_memory(const ExplainedStep& explained, int gpus) {
    const InputSituation input = input_of(explained);
    const ExplainSettings& settings = explained.settings;
    const double batch = input.samples.value * input.sample_bytes.value;
    HostMemory memory{.trainers = gpus * trainer_bytes,
                      .loaders = gpus * settings.loader_workers * worker_bytes,
                      .batches = gpus * (settings.loader_workers * settings.prefetch + 1) * batch};
    const TrainingCase& what = explained.report->what;
    const training::Framework& framework = what.layout.framework;
    if (framework.offload_optimizer || framework.offloaded_layers > 0) {
        training::Layout kept = what.layout;
        kept.framework.offload_optimizer = false;
        kept.framework.offloaded_layers = 0;
        const auto on_gpu = [&](const training::Layout& layout) {
            const training::MemoryUse peak = training::memory_of(what.model, what.machine, layout).fullest().peak;
            return peak.optimizer + peak.activations;
        };
        memory.offloaded = gpus * static_cast<double>(on_gpu(kept) - on_gpu(what.layout));
    }
    return memory;
}

std::vector<std::string> tree(const ExplainedStep& explained, int gpus, std::int64_t nodes) {
    const training::Memory& memory = explained.report->step.memory;
    const int workers = explained.settings.loader_workers;
    const int alike = explained.report->what.gpus() / explained.report->what.layout.parallelism.pp;
    std::vector<std::string> lines{fmt::format("torchrun on node 0{}: the main process, which starts the others",
                                               nodes > 1 ? fmt::format(" of {}", nodes) : "")};
    for (int rank = 0; rank < gpus; ++rank) {
        const bool is_last = rank + 1 == gpus;
        if (rank >= most_drawn && !is_last) {
            continue;
        }
        if (rank >= most_drawn && gpus > most_drawn + 1) {
            lines.push_back(fmt::format("┆  {} more", gpus - most_drawn - 1));
        }
        const auto stage = static_cast<std::size_t>(rank / alike);
        const auto bytes = static_cast<double>(memory.stages[stage].peak.total());
        lines.push_back(fmt::format("{} rank {}: python train.py, GPU {}, {} on the GPU{}", is_last ? "└─" : "├─", rank,
                                    rank, bytes_text(bytes), rank == 0 ? "; rank 0 reports and saves" : ""));
        if (workers > 0 && (rank == 0 || is_last)) {
            lines.push_back(
                fmt::format("{}  └─ {} x loader worker, and a thread that pins memory", is_last ? " " : "│", workers));
        }
    }
    if (nodes > 1) {
        lines.push_back(fmt::format("the same on {}: ranks {} to {}",
                                    nodes == 2 ? "node 1" : fmt::format("nodes 1 to {}", nodes - 1), gpus,
                                    explained.report->what.gpus() - 1));
    }
    return lines;
}

}  // namespace

std::optional<Section> explain_processes(const ExplainedStep& explained) {
    const TrainingCase& what = explained.report->what;
    const int gpus = std::min(what.machine.gpus_per_node, what.gpus());
    const std::int64_t nodes = ceil_div(what.gpus(), what.machine.gpus_per_node);
    const HostMemory memory = host_memory(explained, gpus);
    Section section{.kind = SectionKind::processes};
    section.said = {
        {"{processes} processes: one main process per node, one process per GPU below it, and the loader workers "
         "({workers}) of each below that."}};
    const int workers = explained.settings.loader_workers;
    section.figures = {
        {"processes", "processes", nodes + std::int64_t{what.gpus()} * (1 + workers), Unit::count,
         "nodes + GPUs x (1 + loader workers)"},
        {"nodes", "nodes", nodes, Unit::count, "GPUs / GPUs of a node"},
        {"gpus", "processes with a GPU", std::int64_t{what.gpus()}, Unit::count, "one for each GPU", "/gpus"},
        {"workers", "loader workers of each", std::int64_t{workers}, Unit::count, "--loader-workers"},
        {"trainer_bytes", "main memory of a process with a GPU", trainer_bytes, Unit::bytes,
         "assumed: Python, PyTorch and CUDA, roughly"},
        {"worker_bytes", "main memory of a loader worker", worker_bytes, Unit::bytes,
         "assumed: its unshared part, roughly"},
        {"batch_bytes", "ready batches on a node", memory.batches, Unit::bytes,
         "GPUs of a node x (loader workers x prefetch + 1) x batch"},
        {"host_bytes", "main memory used on a node", memory.all(), Unit::bytes, "the sum over its processes"},
        {"host_has", "main memory of a node",
         what.machine.host_memory_gib > 0 ? Value(what.machine.host_memory_gib * 1024 * 1024 * 1024) : Value(),
         Unit::bytes, what.machine.host_memory_gib > 0 ? "hardware file: host_memory_gib" : "not known"},
    };
    if (memory.offloaded > 0) {
        section.figures.push_back({"offloaded_bytes", "offloaded optimizer states and activations", memory.offloaded,
                                   Unit::bytes, "memory model, docs/memory.md"});
    }
    section.drawing = tree(explained, gpus, nodes);
    return section;
}

namespace {

FigureTable process_table(const ExplainedRun& run) {
    const auto& processes = run.result.at("processes");
    FigureTable table{.key = "processes",
                      .title = "",
                      .columns = {{"name", "process", Unit::words},
                                  {"pid", "pid", Unit::count, "real"},
                                  {"parent", "started by", Unit::count, "real"},
                                  {"resident", "peak main memory", Unit::bytes, "measured by the system (wait4)"},
                                  {"cpu", "CPU time", Unit::seconds, "measured by the system (wait4)"},
                                  {"gpu", "GPU memory (units)", Unit::count, "simulated, at its peak"}}};
    const Value launcher = value_at(processes, "/launcher_pid");
    table.rows.push_back({{std::string(run.result.at("scenario")), launcher, std::int64_t{run.explainer_pid},
                           value_at(processes, "/launcher_peak_resident_bytes"), Value(), Value()}});
    for (std::size_t rank = 0; rank < run.ranks(); ++rank) {
        const std::string at = fmt::format("/ranks/{}", rank);
        table.rows.push_back(
            {{fmt::format("rank {}", rank), value_at(processes, at + "/pid"), launcher,
              value_at(processes, at + "/peak_resident_bytes"), value_at(processes, at + "/cpu_seconds"),
              value_at(run.result, fmt::format("/per_rank/{}/peak_memory_units", rank))}});
    }
    return table;
}

std::vector<std::string> process_tree(const ExplainedRun& run) {
    constexpr std::size_t most_drawn = 16;
    const auto& processes = run.result.at("processes");
    std::vector<std::string> lines{
        fmt::format("ndsim explain (pid {})", run.explainer_pid),
        fmt::format("└─ {} (pid {}): the main process, which started the ranks, and simulates time and network",
                    run.result.at("scenario").get<std::string>(), processes.at("launcher_pid").get<int>())};
    for (std::size_t rank = 0; rank < run.ranks(); ++rank) {
        const bool is_last = rank + 1 == run.ranks();
        if (rank >= most_drawn && !is_last) {
            continue;
        }
        if (rank >= most_drawn && run.ranks() > most_drawn + 1) {
            lines.push_back(fmt::format("   ┆  {} more", run.ranks() - most_drawn - 1));
        }
        const auto& own = processes.at("ranks").at(rank);
        lines.push_back(fmt::format("   {} rank {} (pid {}): GPU {}, {} of main memory", is_last ? "└─" : "├─", rank,
                                    own.at("pid").get<int>(), rank,
                                    bytes_text(own.at("peak_resident_bytes").get<double>())));
    }
    return lines;
}

}  // namespace

std::optional<Section> explain_processes(const ExplainedRun& run) {
    Section section{.kind = SectionKind::processes};
    section.figures = {figure_at(run, "/host", {"host", "ranks run as", {}, Unit::words, "--host"}),
                       figure_at(run, "/ranks", {"ranks", "ranks", {}, Unit::count, "one for each GPU"})};
    if (run.result.at("processes").is_null()) {
        section.said = {
            {"The {ranks} ranks were fibers of one process (--host fiber), so there is no process tree; with --host "
             "process, each rank is a process."}};
        return section;
    }
    section.said = {
        {"Each of the {ranks} ranks was a real process that ran the training program of its GPU. There are no loader "
         "workers: a scenario computes its items instead of reading them."}};
    section.tables = {process_table(run)};
    section.drawing = process_tree(run);
    return section;
}

}  // namespace sim::explain
