// The effect of killing a part of a step or a run: which ranks wait, what work is lost, and how to resume.
#include "libsim/explain/explained_run.hpp"
#include "libsim/explain/explained_step.hpp"
#include "libsim/explain/input_section.hpp"
#include "libsim/faults/failure_rates.hpp"
#include "libsim/replay/recording.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::explain {

using namespace predict;

namespace {

// torch.utils.data, MP_STATUS_CHECK_INTERVAL: how often a process waiting for a batch checks its workers, in seconds.
constexpr double loader_looks_every = 5;

FigureTable victims_table(const FailureSituation& situation) {
    const double seconds_lost = situation.checkpoint_seconds / 2;
    const double node_gpus = std::min(situation.gpus, situation.gpus_per_node);
    FigureTable table{.key = "victims",
                      .title = "Consequences of killing one part",
                      .columns = {{"killed", "killed", Unit::words},
                                  {"gpus_lost", "GPUs lost", Unit::count},
                                  {"gpus_waiting", "GPUs waiting", Unit::count, "all others of the training"},
                                  {"lost_seconds", "work lost", Unit::seconds,
                                   "on average half of the time between two checkpoints, and at most all of it"},
                                  {"follows", "what happens", Unit::words},
                                  {"recovery", "recovery", Unit::words}}};
    const auto row = [&](const char* killed, double gone, double lost, const char* follows, const char* recovery) {
        table.rows.push_back(
            {{std::string(killed), static_cast<std::int64_t>(gone), static_cast<std::int64_t>(situation.gpus - gone),
              lost, std::string(follows), std::string(recovery)}});
    };
    if (situation.input.workers > 0) {
        row("a data-loader worker", 0, seconds_lost, "its GPU continues until the buffer is empty, then all wait",
            "restart from the checkpoint");
    }
    row("a GPU's process", 1, seconds_lost, "the others stop at their next exchange with it",
        "restart from the checkpoint");
    row("the main process of a node", node_gpus, seconds_lost, "its child processes die, too; other nodes wait",
        "restart from the checkpoint");
    row("a node", node_gpus, seconds_lost, "its GPUs are lost with the contents of their memory",
        "a spare node, or fewer replicas");
    return table;
}

}  // namespace

void add_failures(Section& section, const FailureSituation& situation) {
    if (situation.input.workers > 0) {
        const LoaderLoss loss = loader_loss(situation.input);
        section.said.push_back(
            {"The loss of a loader worker shows late: {ready} batches are ready, the GPU computes {computed} more, and "
             "after {dry_seconds} it waits for a batch that never arrives. It hangs until something checks: PyTorch's "
             "loader does so every {looks_seconds}."});
        section.figures.insert(
            section.figures.end(),
            {{"ready", "batches ready when the worker dies", std::int64_t{loss.ready}, Unit::count,
              "simulated: loaded, and not taken yet"},
             {"computed", "batches that the GPU still computes", std::int64_t{loss.computed}, Unit::count,
              "simulated: up to the first one of that worker which is missing"},
             {"dry_seconds", "time until the buffer is empty", loss.dry_seconds, Unit::seconds, "simulated"},
             {"looks_seconds", "time until it is noticed, at most", loader_looks_every, Unit::seconds,
              "torch.utils.data: MP_STATUS_CHECK_INTERVAL"}});
    }
    const double between = faults::llama3_gpu_hours * 3600 / situation.gpus;
    section.figures.insert(
        section.figures.end(),
        {{"timeout_seconds", "time-out of a collective", faults::collective_times_out_after, Unit::seconds,
          situation.collectives.empty()
              ? "torch.distributed: the default of its groups"
              : fmt::format("torch.distributed: the default of {}'s groups", situation.collectives)},
         {"checkpoint_seconds", "time between checkpoints", situation.checkpoint_seconds, Unit::hours,
          "--checkpoint-seconds"},
         {"lost_gpu_seconds", "GPU time lost", situation.gpus * situation.checkpoint_seconds / 2, Unit::hours,
          "average: GPUs x half the time between checkpoints"},
         {"between_seconds", "time between failures of this many GPUs", between, Unit::hours,
          "54 days x 16,384 GPUs / 419 interruptions (Llama 3, 2024), over the GPUs here"}});
    section.tables.push_back(victims_table(situation));
}

namespace {

// Larger runs take too long, because every rank is simulated.
constexpr int most_simulated = 64;

// A GPU's process that dies in the middle of a step, and the reaction of the others.
struct KilledGpu {
    int rank = 0;
    double died = 0;
    std::int64_t waiting = 0;
    double first = 0;  // when the first of them begins to wait forever
    double last = 0;   // when the last of them does
};

KilledGpu killed_gpu(const TrainingCase& what, const Prediction& step) {
    KilledGpu killed{.rank = what.gpus() / 2};
    const auto kill = [&](const replay::Recording& program, const Cluster& cluster) {
        const auto run = program.replay(
            {.cluster = cluster,
             .hash_timeline = false,
             .faults = {faults::KillRank{.rank = killed.rank, .at = Time{Duration{step.step.count() / 2}}}}});
        killed.died = seconds(run.ranks[static_cast<std::size_t>(killed.rank)].end);
        killed.waiting = static_cast<std::int64_t>(run.waiting.size());
        killed.first = seconds(run.end);
        for (const kernel::WrongOp& one : run.waiting) {
            killed.first = std::min(killed.first, seconds(one.since));
            killed.last = std::max(killed.last, seconds(one.since));
        }
    };
    predict_step(what.model, what.machine, what.layout, {.unfold = true, .details = false, .on_program = kill});
    return killed;
}

void add_killed_gpu(Section& section, const ExplainedStep& explained) {
    const TrainingCase& what = explained.report->what;
    if (what.gpus() == 1 || what.gpus() > most_simulated) {
        return;
    }
    const KilledGpu killed = killed_gpu(what, explained.report->step);
    section.figures.insert(
        section.figures.end(),
        {{"killed_rank", "GPU whose process is killed", std::int64_t{killed.rank}, Unit::count, "the middle one"},
         {"died_seconds", "time of its death", killed.died, Unit::seconds,
          "of the step, simulated: when the operation ended that was under way in its middle"},
         {"waiting", "other GPUs that cannot continue", killed.waiting, Unit::count, "simulated, every rank"},
         {"first_seconds", "the first of them waits from", killed.first, Unit::seconds, "simulated"},
         {"standstill_seconds", "all of them wait from", killed.last, Unit::seconds, "simulated"}});
    section.said.push_back(
        {"If the process of GPU {killed_rank} is killed {died_seconds} into a step, the first other GPU waits for it "
         "from {first_seconds} on, and all {waiting} of them from {standstill_seconds} on, until they are stopped."});
}

}  // namespace

std::optional<Section> explain_failures(const ExplainedStep& explained) {
    const TrainingCase& what = explained.report->what;
    Section section{.kind = SectionKind::failures};
    section.said = {
        {"All GPUs work in step, so the loss of one stops them all: they resume from the last checkpoint, and the work "
         "since then is lost."}};
    add_killed_gpu(section, explained);
    add_failures(section, {.input = best_pipeline(input_of(explained)),
                           .gpus = what.gpus(),
                           .gpus_per_node = what.machine.gpus_per_node,
                           .checkpoint_seconds = explained.settings.checkpoint_seconds,
                           .collectives = what.machine.gpu.collectives});
    section.notes = {{"With a checkpoint every {checkpoint_seconds} and a failure every {between_seconds}, each "
                      "failure costs {lost_gpu_seconds} of GPU time on average, plus the restart."},
                     {"ndsim explain 1d_data_parallel really kills a process, and shows which ranks wait for it."},
                     {"ndsim goodput simulates weeks of failures, and says how often to write a checkpoint."}};
    return section;
}

namespace {

FigureTable waiting_table(const KilledRun& killed) {
    FigureTable table{.key = "waiting",
                      .title = "Ranks that cannot continue without it",
                      .columns = {{"rank", "rank", Unit::count},
                                  {"pid", "pid", Unit::count, "real"},
                                  {"since", "waits since", Unit::seconds, "simulated"},
                                  {"for", "for rank", Unit::count},
                                  {"in", "in", Unit::words}}};
    for (std::size_t i = 0; i < killed.result.at("waiting").size(); ++i) {
        const auto cell = [&](const char* key) {
            return value_at(killed.result, fmt::format("/waiting/{}/{}", i, key));
        };
        table.rows.push_back({{cell("rank"), cell("pid"), cell("since_seconds"), cell("waits_for"), cell("waits_in")}});
    }
    return table;
}

void add_killed_rank(Section& section, const ExplainedRun& run) {
    const KilledRun& killed = *run.killed;
    const auto& fault = killed.result.at("fault");
    const double died = fault.at("died_seconds").get<double>();
    const auto waiting = static_cast<std::int64_t>(killed.result.at("waiting").size());
    const std::string asked = "asked for: " + killed.command;
    section.figures.insert(
        section.figures.end(),
        {{"killed_rank", "killed rank", value_at(fault, "/rank"), Unit::count, asked},
         {"killed_pid", "its process", value_at(fault, "/pid"), Unit::count, "real"},
         {"signal", "signal that ended it", value_at(fault, "/signal"), Unit::count, "as the system reports it"},
         {"died_seconds", "died at", died, Unit::seconds, "simulated: when the operation ended that was under way"},
         {"waiting", "ranks that cannot continue", waiting, Unit::count, "the ranks' own operations"},
         {"standstill_seconds", "nothing runs from", value_at(killed.result, "/standstill_seconds"), Unit::seconds,
          "simulated: the last one begins to wait, or has finished"},
         {"lost_seconds", "lost work of this run", died * static_cast<double>(run.ranks()), Unit::seconds,
          "died at x ranks: without --checkpoint-every a run has no checkpoint"}});
    section.said.push_back(
        {"Rank {killed_rank} was really killed: its process {killed_pid} was ended by signal {signal} at "
         "{died_seconds} of simulated time. {waiting} other ranks cannot continue, and from {standstill_seconds} on "
         "nothing runs. The messages of ndsim are below."});
    section.tables.push_back(waiting_table(killed));
    section.drawing = killed.said;
}

}  // namespace

std::optional<Section> explain_failures(const ExplainedRun& run) {
    Section section{.kind = SectionKind::failures};
    if (run.killed) {
        add_killed_rank(section, run);
    }
    section.notes = {
        {"--on-fault restart|spare|elastic really resumes the training from a checkpoint: docs/faults.md."},
        {"ndsim goodput simulates weeks of failures, and says how often to write a checkpoint."}};
    add_failures(section, {.input = best_pipeline(input_of(run)),
                           .gpus = static_cast<int>(run.ranks()),
                           .gpus_per_node = static_cast<int>(run.ranks()),
                           .checkpoint_seconds = run.settings.checkpoint_seconds});
    return section;
}

}  // namespace sim::explain
