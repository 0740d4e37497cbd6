#include "libsim/explain/input_section.hpp"

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
    InputWay{"and into pinned memory", true, true, false},
    InputWay{"and the copy runs beside the computation", true, true, true},
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
                      .title = "Ways to load; each adds one thing to the line before",
                      .columns = {{"way", "way", Unit::words},
                                  {"seconds", "from step to step", Unit::seconds, "simulated"},
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
        {"samples", "samples of a step", input.samples.value, Unit::count, input.samples.how},
        {"sample_seconds", "loading one", input.sample_seconds.value, Unit::seconds, input.sample_seconds.how},
        {"sample_bytes", "its size on the GPU", input.sample_bytes.value, Unit::bytes, input.sample_bytes.how},
        {"workers", "loader workers", std::int64_t{settings.loader_workers}, Unit::count, "--loader-workers"},
        {"prefetch", "batches ahead of each", std::int64_t{settings.prefetch}, Unit::count,
         "--prefetch; 2 is PyTorch's default"},
        {"link", "link to the GPU", input.link.value, Unit::bytes_per_second, input.link.how},
        {"load_seconds", "loading a batch", seconds(best.load), Unit::seconds, "samples x loading one"},
        {"copy_seconds", "copying it", seconds(best.copy), Unit::seconds,
         best.pin.count() > 0 ? "samples x size / link"
                              : "samples x size / (0.4 x link): memory that is not pinned is slower, NVIDIA (2012)"},
        {"compute_seconds", "the step itself", input.compute.value, Unit::seconds, input.compute.how,
         input.compute_same_as}};
}

}  // namespace

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
        {{"idle_before", "GPU idle, loading in between", before, Unit::share, "simulated"},
         {"idle_after", "GPU idle, with all of this", after, Unit::share, "simulated"},
         {"first_seconds", "until the first step", seconds(run_input(best, 1).computes.front().begin), Unit::seconds,
          "simulated: the first batch has to be loaded and copied"},
         {"needed", "workers that are enough", std::max<std::int64_t>(needed, 1), Unit::count,
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

}  // namespace sim::explain
