#include "libsim/explain/input_section.hpp"

#include "libsim/explain/explained_run.hpp"
#include "libsim/explain/explained_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sim::explain {

namespace {

// Source: NVIDIA, "How to Optimize Data Transfers in CUDA C/C++" (2012): 2.3 GB/s, against 5.8 with pinned memory.
constexpr double pageable_share = 0.4;
// One core's copy within main memory.
constexpr double pin_rate = 10e9;

// The ways to load; each adds one technique to the one before.
struct InputWay {
    const char* text;
    bool workers;
    bool pinned;
    bool beside;
};
constexpr std::array input_ways{
    InputWay{"the training process loads each batch when it needs it", false, false, false},
    InputWay{"workers load ahead", true, false, false},
    InputWay{"and copy into pinned memory", true, true, false},
    InputWay{"and the copy to the GPU overlaps the computation", true, true, true},
};

InputPipeline pipeline_of(const InputSituation& input, const InputWay& way) {
    const double bytes = input.samples.value * input.sample_bytes.value;
    const int workers = way.workers ? input.settings.loader_workers : 0;
    const bool pinned = way.pinned && workers > 0;
    return {.load = duration_of_seconds(input.samples.value * input.sample_seconds.value),
            .pin = duration_of_seconds(pinned ? bytes / pin_rate : 0),
            .copy = duration_of_seconds(bytes / (input.link.value * (pinned ? 1 : pageable_share))),
            .compute = duration_of_seconds(input.compute.value),
            .workers = workers,
            .prefetch = input.settings.prefetch,
            .copies_beside = way.beside && workers > 0};
}

FigureTable ways_table(const InputSituation& input) {
    FigureTable table{.key = "ways",
                      .title = "Ways to load; each adds one technique to the line above",
                      .columns = {{"way", "way", Unit::words},
                                  {"seconds", "time per step", Unit::seconds, "simulated"},
                                  {"closed_form", "closed form", Unit::seconds,
                                   "load + copy + compute; with workers the largest of compute (+ copy), pin, load / "
                                   "workers, (load + pin) / (workers x prefetch)"},
                                  {"idle", "GPU idle", Unit::share, "simulated"}}};
    for (const InputWay& way : input_ways) {
        if (way.workers && input.settings.loader_workers == 0) {
            break;
        }
        const InputPipeline pipeline = pipeline_of(input, way);
        const SteadyInput steady = steady_input(pipeline);
        table.rows.push_back({{std::string(way.text), steady.seconds_each(), closed_form_seconds(pipeline),
                               idle_share(pipeline, steady)}});
    }
    return table;
}

std::vector<Figure> loading_figures(const InputSituation& input, const InputPipeline& best) {
    const ExplainSettings& settings = input.settings;
    return {
        {"samples", "samples per step", input.samples.value, Unit::count, input.samples.how},
        {"sample_seconds", "loading a sample", input.sample_seconds.value, Unit::seconds, input.sample_seconds.how},
        {"sample_bytes", "size of a sample on the GPU", input.sample_bytes.value, Unit::bytes, input.sample_bytes.how},
        {"workers", "loader workers", std::int64_t{settings.loader_workers}, Unit::count, "--loader-workers"},
        {"prefetch", "batches prefetched by each", std::int64_t{settings.prefetch}, Unit::count,
         "--prefetch; 2 is PyTorch's default"},
        {"link", "link to the GPU", input.link.value, Unit::bytes_per_second, input.link.how},
        {"load_seconds", "loading a batch", seconds(best.load), Unit::seconds, "samples x loading a sample"},
        {"copy_seconds", "copying a batch", seconds(best.copy), Unit::seconds,
         best.pin.count() > 0 ? "samples x size / link"
                              : "samples x size / (0.4 x link): memory that is not pinned is slower, NVIDIA (2012)"},
        {"compute_seconds", "step", input.compute.value, Unit::seconds, input.compute.how, input.compute_same_as}};
}

}  // namespace

std::vector<config::OptionRow> setting_rows(ExplainSettings& settings) {
    return {
        {"loader-workers", "N", "loader processes per GPU; 0: the training process loads (4)",
         config::whole(settings.loader_workers, 0, 64)},
        {"prefetch", "N", "batches requested from each loader in advance (2)", config::whole(settings.prefetch, 1, 64)},
        {"sample-seconds", "S", "loading time per sample (from the sample's size; assumed)",
         config::real(settings.sample_seconds, 1e-9, 1e5)},
        {"sample-bytes", "X", "bytes of a sample on the GPU (from the model; assumed)",
         config::real(settings.sample_bytes, 1, 1e12)},
        {"checkpoint-seconds", "S", "time between two checkpoints (1800)",
         config::real(settings.checkpoint_seconds, 1e-3, 1e9)}};
}

InputSituation as_asked(InputSituation input) {
    if (input.settings.sample_seconds > 0) {
        input.sample_seconds = {input.settings.sample_seconds, "--sample-seconds"};
    }
    if (input.settings.sample_bytes > 0) {
        input.sample_bytes = {input.settings.sample_bytes, "--sample-bytes"};
    }
    return input;
}

InputPipeline best_pipeline(const InputSituation& input) {
    return pipeline_of(input, input_ways.back());
}

Section input_section(const InputSituation& input) {
    const InputPipeline best = best_pipeline(input);
    Section section{.kind = SectionKind::input, .figures = loading_figures(input, best), .tables = {ways_table(input)}};
    const auto& rows = section.tables.front().rows;
    const double before = std::get<double>(rows.front().cells.back());
    const double after = std::get<double>(rows.back().cells.back());
    const auto needed = static_cast<std::int64_t>(std::ceil(seconds(best.load) / std::max(1e-12, input.compute.value)));
    section.figures.insert(
        section.figures.end(),
        {{"idle_before", "GPU idle, loading on demand", before, Unit::share, "simulated"},
         {"idle_after", "GPU idle, with all techniques", after, Unit::share, "simulated"},
         {"first_seconds", "time until the first step", seconds(run_input(best, 1).computes.front().begin),
          Unit::seconds, "simulated: the first batch has to be loaded and copied"},
         {"needed", "loader workers needed", std::max<std::int64_t>(needed, 1), Unit::count,
          "loading a batch / the step, rounded up"}});
    section.said = {
        {"If the training process loads each batch when it needs it, the GPU is idle for {idle_before} of "
         "the time."}};
    if (best.workers > 0) {
        section.said.push_back(
            {"With loader workers ({workers}, each {prefetch} batches ahead), pinned memory and an "
             "asynchronous copy it is idle for {idle_after}."});
    }
    section.said.push_back(needed > best.workers
                               ? Sentence{"{needed} loader workers would be enough; these are too few."}
                               : Sentence{"{needed} of them would be enough."});
    return section;
}

LoaderLoss loader_loss(const InputPipeline& pipeline) {
    const int ahead = pipeline.workers * pipeline.prefetch;
    const int before = 4 * ahead;  // batches until steady state
    const int batches = before + 2 * ahead + 2 * pipeline.workers + 2;
    const InputRun whole = run_input(pipeline, batches);
    const Time killed = whole.computes[static_cast<std::size_t>(before)].begin;
    LostWorker lost;
    LoaderLoss loss;
    for (std::size_t batch = 0; batch < whole.loads.size(); ++batch) {
        const bool is_loaded = whole.loads[batch].end <= killed;
        lost.batches += is_loaded && static_cast<int>(batch) % pipeline.workers == lost.worker ? 1 : 0;
        loss.ready += is_loaded && whole.taken[batch] > killed ? 1 : 0;
    }
    const InputRun run = run_input(pipeline, batches, lost);
    loss.computed = static_cast<int>(run.computes.size()) - before;
    loss.dry_seconds = seconds(run.dry.value_or(run.computes.back().end) - killed);
    return loss;
}

namespace {

// Text per token: OpenAI's rule of thumb.
constexpr double bytes_per_token = 4;
// Source: Hugging Face tokenizers, "less than 20 seconds for a GB of text on a server's CPU"; taken as 16 cores.
constexpr double tokens_bytes_per_second = 1e9 / 20 / 16;
// PyTorch's integers are int64.
constexpr double bytes_of_token = 8;

}  // namespace

InputSituation input_of(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    const ExplainSettings& settings = explained.settings;
    const double tokens = report.what.model.sequence;
    const auto replicas = static_cast<double>(report.what.layout.parallelism.dp);
    InputSituation input{.samples = {static_cast<double>(report.what.layout.batch.global) / replicas,
                                     "sequences of the global batch / dp"},
                         .sample_seconds = {tokens * bytes_per_token / tokens_bytes_per_second,
                                            "assumed: 4 B of text per token, tokenized at 3.1 MB/s (Hugging Face "
                                            "tokenizers: 1 GB in 20 s, assumed on 16 cores)"},
                         .sample_bytes = {tokens * bytes_of_token, "tokens of a sequence x 8 B"},
                         .link = {report.what.machine.host_link, "hardware file: host_link"},
                         .compute = {seconds(report.step.step), "simulated"},
                         .compute_same_as = "/step_seconds",
                         .settings = settings};
    return as_asked(std::move(input));
}

std::optional<Section> explain_input(const ExplainedStep& explained) {
    Section section = input_section(input_of(explained));
    const training::Machine& machine = explained.report->what.machine;
    const int gpus = std::min(machine.gpus_per_node, explained.report->what.gpus());
    const int wanted = gpus * (1 + explained.settings.loader_workers);
    if (machine.host_cores > 0) {
        section.figures.insert(
            section.figures.end(),
            {{"cores", "cores of a node", std::int64_t{machine.host_cores}, Unit::count, "hardware file: host_cores"},
             {"busy", "processes of a node that load or train", std::int64_t{wanted}, Unit::count,
              "GPUs of a node x (1 + loader workers)"}});
        section.notes.push_back(
            wanted > machine.host_cores
                ? Sentence{"A node has {cores} cores for {busy} processes: they slow each other down."}
                : Sentence{"A node has {cores} cores for the {busy} processes."});
    }
    return section;
}

namespace {

// A picture of 224 x 224 pixels in three colours of 4 bytes, as image models take it.
constexpr double picture_bytes = 224.0 * 224 * 3 * 4;
// Achieved rate of PCIe 3 x16.
constexpr double usual_link = 12e9;
// With this share of an item's computation for loading, a GPU that loads between steps is idle for 40 % of the time.
constexpr double usual_load = 2.0 / 3;

}  // namespace

InputSituation input_of(const ExplainedRun& run) {
    const ExplainSettings& settings = run.settings;
    const auto items = run.result.at("options").at("items").get<double>();
    const int replicas = run.mesh("dp") * run.mesh("ep");
    const double alone = run.result.at("sequential_seconds").get<double>() / run.steps() / items;
    InputSituation input{
        .samples = {items / replicas, "items / (dp x ep)"},
        .sample_seconds = {alone * usual_load, "assumed: two thirds of an item's compute time on one GPU"},
        .sample_bytes = {picture_bytes, "assumed: an image of 224 x 224 x 3 numbers of 4 B"},
        .link = {usual_link, "assumed: the achieved rate of PCIe 3 x16"},
        .compute = {run.seconds() / run.steps(), "simulated: run / steps"},
        .compute_same_as = run.steps() == 1 ? "/simulated_seconds" : "",
        .settings = settings};
    return as_asked(std::move(input));
}

std::optional<Section> explain_input(const ExplainedRun& run) {
    return input_section(input_of(run));
}

}  // namespace sim::explain
