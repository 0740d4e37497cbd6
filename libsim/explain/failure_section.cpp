#include "libsim/explain/failure_section.hpp"

#include "libsim/faults/failure_rates.hpp"

#include <fmt/format.h>

namespace sim::explain {

namespace {

// torch.utils.data, MP_STATUS_CHECK_INTERVAL: how often a process waiting for a batch checks its workers, in seconds.
constexpr double loader_looks_every = 5;

FigureTable victims_table(const FailureSituation& situation) {
    const double seconds_lost = situation.checkpoint_seconds / 2;
    const double node_gpus = std::min(situation.gpus, situation.gpus_per_node);
    FigureTable table{.key = "victims",
                      .title = "What is killed, and what follows",
                      .columns = {{"killed", "killed", Unit::words},
                                  {"gpus_lost", "GPUs gone", Unit::count},
                                  {"gpus_waiting", "GPUs waiting", Unit::count, "all others of the training"},
                                  {"lost_seconds", "work lost", Unit::seconds,
                                   "on average half of the time between two checkpoints, and at most all of it"},
                                  {"follows", "what happens", Unit::words},
                                  {"recovery", "how to go on", Unit::words}}};
    const auto row = [&](const char* killed, double gone, double lost, const char* follows, const char* recovery) {
        table.rows.push_back(
            {{std::string(killed), static_cast<std::int64_t>(gone), static_cast<std::int64_t>(situation.gpus - gone),
              lost, std::string(follows), std::string(recovery)}});
    };
    if (situation.input.workers > 0) {
        row("a data-loader worker", 0, seconds_lost, "its GPU goes on until the buffer is dry, then all wait",
            "restart from the checkpoint");
    }
    row("a GPU's process", 1, seconds_lost, "the others stop at their next exchange with it",
        "restart from the checkpoint");
    row("the main process of a node", node_gpus, seconds_lost, "all below it goes, too; other nodes wait",
        "start it again, from the checkpoint");
    row("a node", node_gpus, seconds_lost, "its GPUs are gone, with what lay in their memory",
        "a spare node, or fewer replicas");
    return table;
}

}  // namespace

void add_failures(Section& section, const FailureSituation& situation) {
    if (situation.input.workers > 0) {
        const LoaderLoss loss = loader_loss(situation.input);
        section.said.push_back(
            {"A killed loader worker is missed late: {ready} batches are ready, the GPU computes "
             "{computed} more, and after {dry_seconds} it waits for one that never comes. Then it "
             "hangs, until something looks: PyTorch's loader does every {looks_seconds}."});
        section.figures.insert(
            section.figures.end(),
            {{"ready", "batches ready when the worker dies", std::int64_t{loss.ready}, Unit::count,
              "simulated: loaded, and not taken yet"},
             {"computed", "batches that the GPU still computes", std::int64_t{loss.computed}, Unit::count,
              "simulated: up to the first one of that worker which is missing"},
             {"dry_seconds", "until the buffer is dry", loss.dry_seconds, Unit::seconds, "simulated"},
             {"looks_seconds", "until it is noticed, at most", loader_looks_every, Unit::seconds,
              "torch.utils.data: MP_STATUS_CHECK_INTERVAL"}});
    }
    const double between = faults::llama3_gpu_hours * 3600 / situation.gpus;
    section.figures.insert(
        section.figures.end(),
        {{"timeout_seconds", "until a collective gives up", collective_times_out_after, Unit::seconds,
          situation.collectives.empty()
              ? "torch.distributed: the default of its groups"
              : fmt::format("torch.distributed: the default of {}'s groups", situation.collectives)},
         {"checkpoint_seconds", "between two checkpoints", situation.checkpoint_seconds, Unit::hours,
          "--checkpoint-seconds"},
         {"lost_gpu_seconds", "work of all GPUs lost", situation.gpus * situation.checkpoint_seconds / 2, Unit::hours,
          "GPUs x half of that: the average"},
         {"between_seconds", "between two failures of this many GPUs", between, Unit::hours,
          "54 days x 16,384 GPUs / 419 interruptions (Llama 3, 2024), over the GPUs here"}});
    section.tables.push_back(victims_table(situation));
}

}  // namespace sim::explain
