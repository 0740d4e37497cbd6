// The verdict on a scenario's run, and its speedup over one GPU: how much faster it is, and the causes of the rest.
#include "libsim/explain/run_sections.hpp"

#include <algorithm>
#include <array>

namespace sim::explain {

namespace {

struct RunLoss {
    const char* name;
    const char* why;
    Duration RunLosses::*time;
};
constexpr std::array run_losses{
    RunLoss{"communication", "sending, receiving, and waiting for what is on its way", &RunLosses::communication},
    RunLoss{"bubble", "stages of the pipeline that have nothing to do", &RunLosses::bubble},
    RunLoss{"waiting", "for others to begin or to end", &RunLosses::waiting},
    RunLoss{"extra compute", "slower GPUs, or work that one GPU alone has not", &RunLosses::extra_compute},
};

std::string limiter_of(const RunLosses& losses) {
    const auto most = std::max_element(run_losses.begin(), run_losses.end(), [&](const RunLoss& a, const RunLoss& b) {
        return losses.*a.time < losses.*b.time;
    });
    return losses.*(most->time) <= Duration{0} || losses.ideal > losses.*(most->time) ? "compute: the work itself"
                                                                                      : most->name;
}

std::vector<Figure> speed_figures(const ExplainedRun& run) {
    return {figure_at(run, "/simulated_seconds", {"simulated_seconds", "run", {}, Unit::seconds, "simulated"}),
            figure_at(run, "/ranks", {"ranks", "GPUs", {}, Unit::count, "a process each"}),
            figure_at(run, "/sequential_seconds",
                      {"sequential_seconds", "on one GPU", {}, Unit::seconds, "0d_sequential, simulated"}),
            figure_at(run, "/speedup", {"speedup", "speedup", {}, Unit::factor, "on one GPU / run"}),
            figure_at(run, "/efficiency", {"efficiency", "efficiency", {}, Unit::share, "speedup / GPUs"})};
}

// GPUs x time of each part; divided by the time of the run, the result is in GPUs.
FigureTable run_losses_table(const RunLosses& losses, double seconds_of_run) {
    FigureTable table{.key = "losses",
                      .title = "Where the GPUs go: the lines add up to all of them",
                      .columns = {{"what", "what", Unit::words},
                                  {"gpu_seconds", "GPU-seconds", Unit::seconds, "the sum over all ranks"},
                                  {"gpus", "in GPUs", Unit::factor, "GPU-seconds / run"},
                                  {"why", "why", Unit::words}}};
    const auto row = [&](const char* name, Duration time, const char* why) {
        const double all = seconds(time);
        table.rows.push_back(
            {{std::string(name), all, seconds_of_run > 0 ? all / seconds_of_run : 0, std::string(why)}});
    };
    row("speedup", losses.ideal, "the work, as one GPU alone does it");
    for (const RunLoss& loss : run_losses) {
        if (losses.*loss.time != Duration{0}) {
            row(loss.name, losses.*loss.time, loss.why);
        }
    }
    row("ideal", losses.whole, "all GPUs, all the time");
    return table;
}

}  // namespace

std::optional<Section> explain_run_verdict(const ExplainedRun& run) {
    Section section{.kind = SectionKind::verdict, .figures = speed_figures(run)};
    section.said = {{"The run takes {simulated_seconds} on {ranks} GPUs: {speedup} as fast as one, which is "
                     "{efficiency} of the ideal."},
                    {"Limited by {limiter}.", "What takes most of the time: {limiter}."}};
    section.figures.push_back(
        {"limiter", "limited by", limiter_of(losses_of(run)), Unit::words, "the largest part of all GPUs' time"});
    section.figures.push_back(figure_at(
        run, "/max_weight_difference",
        {"max_weight_difference", "weights against one GPU's", {}, Unit::words, "largest relative difference"}));
    return section;
}

std::optional<Section> explain_run_speedup(const ExplainedRun& run) {
    Section section{.kind = SectionKind::speedup, .figures = speed_figures(run)};
    section.said = {
        {"One GPU takes {sequential_seconds} for the same training, these {ranks} take "
         "{simulated_seconds}: {speedup}, not {ranks}."}};
    section.tables = {run_losses_table(losses_of(run), run.seconds())};
    return section;
}

}  // namespace sim::explain
