#include "scenarios/report/reports.hpp"

#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace sim::scenarios {

namespace {

constexpr std::size_t most_rows = 16;

// "dp 2 x tp 2", if there is more than one axis.
std::string mesh_text(const MeshSizes& mesh) {
    std::vector<std::string> axes;
    for (const auto& [name, size] :
         {std::pair{"dp", mesh.dp}, {"tp", mesh.tp}, {"pp", mesh.pp}, {"ep", mesh.ep}, {"cp", mesh.cp}}) {
        if (size > 1) {
            axes.push_back(fmt::format("{} {}", name, size));
        }
    }
    return axes.size() < 2 ? "" : fmt::format(" = {}", fmt::join(axes, " x "));
}

std::string header(const Outcome& outcome) {
    const Options& o = outcome.options;
    const sim::ranks::HostRow& host = row_of(o.host);
    return fmt::format("{}: {} step{} of {} item{} x {:.12g} compute units on {} rank{}{} ({}), profile {}\n",
                       outcome.scenario, o.steps, o.steps == 1 ? "" : "s", o.items, o.items == 1 ? "" : "s",
                       o.compute_units, o.ranks, o.ranks == 1 ? "" : "s", mesh_text(o.mesh),
                       o.ranks == 1 ? fmt::format("a {}", host.name) : host.plural, o.profile);
}

// All ranks, or if there are many, those with the least and the most of each kind of time.
std::vector<std::size_t> shown_ranks(const std::vector<RankTotals>& ranks) {
    std::vector<std::size_t> shown;
    if (ranks.size() <= most_rows) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            shown.push_back(rank);
        }
        return shown;
    }
    shown = {0, ranks.size() - 1};
    for (const auto part : {&RankTotals::compute, &RankTotals::communication, &RankTotals::idle}) {
        const auto less = [part](const RankTotals& a, const RankTotals& b) { return a.*part < b.*part; };
        const auto [least, most] = std::minmax_element(ranks.begin(), ranks.end(), less);
        shown.push_back(static_cast<std::size_t>(least - ranks.begin()));
        shown.push_back(static_cast<std::size_t>(most - ranks.begin()));
    }
    std::sort(shown.begin(), shown.end());
    shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
    return shown;
}

std::string table(const Outcome& outcome) {
    const sim::ranks::Result& result = outcome.result;
    report::TextTable table{.columns = {{"rank"},
                                        {"pid"},
                                        {"compute"},
                                        {"communication"},
                                        {"idle"},
                                        {"messages"},
                                        {"units sent"},
                                        {"peak memory"}},
                            .rows = {},
                            .margin = "  "};
    const std::vector<std::size_t> shown = shown_ranks(result.ranks);
    for (const std::size_t rank : shown) {
        const RankTotals& totals = result.ranks[rank];
        const auto time = [](Duration spent) { return fmt::format("{:.3f} s", seconds(spent)); };
        const auto units = [](std::int64_t billionths) {
            return fmt::format("{:.6g}", Units::from_billionths(billionths).value());
        };
        table.rows.push_back({{fmt::format("{}", rank), fmt::format("{}", result.pids[rank]), time(totals.compute),
                               time(totals.communication), time(totals.idle), fmt::format("{}", totals.messages_sent),
                               units(totals.billionths_sent), units(totals.peak_billionths)}});
    }
    if (shown.size() < result.ranks.size()) {
        table.rows.push_back(
            {{},
             fmt::format("  shown: the first and last of {} ranks, and those with the least and most of each time",
                         result.ranks.size())});
    }
    return text_of(table);
}

std::string for_what(const Outcome& outcome, const TimeSpent& spent) {
    if (outcome.options.mesh.pp > 1 && spent.least_compute == spent.most_compute) {
        return "the stages before and after it";
    }
    return fmt::format("they compute from {:.3f} s to {:.3f} s", spent.least_compute, spent.most_compute);
}

std::string why_longer(const Outcome& outcome) {
    return outcome.options.slowdown.empty() ? "computing is slower beside messages" : "some are slower GPUs";
}

// One sentence for each loss that matters, the largest first, from the numbers of the run.
std::vector<std::string> why_not_ideal(const Outcome& outcome, const TimeSpent& spent) {
    const int n = outcome.options.ranks;
    if (n == 1) {
        return {"this is the one GPU with which the others are compared"};
    }
    struct LossKind {
        double seconds;
        std::string sentence;
    };
    const ranks::LostTime lost = ranks::lost_time(outcome.lives);
    const double stood = n * seconds(lost.all() - lost.lost_work);
    const double repeated = n * seconds(lost.lost_work);
    std::vector<LossKind> losses{
        {stood, fmt::format("nobody trains for {:.3f} s of {:.3f} s: checkpoints, and what follows a fault", stood / n,
                            outcome.simulated_seconds())},
        {repeated, fmt::format("the work of {:.3f} s was lost, and done again", repeated / n)},
        {spent.communication,
         fmt::format("a rank spends {:.3f} s of {:.3f} s on average with messages, which one GPU alone does not need",
                     spent.communication / n, outcome.simulated_seconds())},
        {spent.idle - stood,
         fmt::format("a rank waits {:.3f} s of {:.3f} s on average for others: {}", (spent.idle - stood) / n,
                     outcome.simulated_seconds(), for_what(outcome, spent))},
        {repeated > 0 ? 0 : spent.extra_compute(outcome),
         fmt::format("the ranks compute {:.3f} s together where rank 0 alone needs {:.3f} s: {}", spent.compute,
                     outcome.sequential_seconds, why_longer(outcome))}};
    std::erase_if(losses, [&](const LossKind& loss) { return loss.seconds < worth_a_word * spent.all(); });
    std::sort(losses.begin(), losses.end(), [](const LossKind& a, const LossKind& b) { return a.seconds > b.seconds; });
    if (losses.empty()) {
        return {"hardly anything is lost: nearly all of the time is compute that is needed"};
    }
    std::vector<std::string> sentences;
    for (const LossKind& loss : losses) {
        sentences.push_back(loss.sentence);
    }
    return sentences;
}

std::string agreement(const Outcome& outcome) {
    const char* const what = outcome.max_weight_difference <= weights_agree ? "the same as 0D's"
                             : !outcome.agrees()                            ? "DIFFERENT FROM 0D's"
                             : outcome.options.averages_models()            ? "not 0D's, because models were averaged"
                                                                 : "not 0D's, because gradients were compressed";
    return fmt::format("{} (largest relative difference {:.2g})", what, outcome.max_weight_difference);
}

}  // namespace

std::string experts_as_megatron(const MeshSizes& mesh) {
    return fmt::format(
        "ep {} is an axis of its own beside dp {}; Megatron and ndsim train call this dp {} with ep {}{}", mesh.ep,
        mesh.dp, mesh.dp * mesh.ep, mesh.ep, mesh.tp > 1 ? fmt::format(" and expert-tp {}", mesh.tp) : "");
}

std::string summary(const Outcome& outcome) {
    const TimeSpent spent = spent_by(outcome);
    report::TextTable lines = report::list_of_names("  ", 3);
    const auto line = [&](const char* name, const std::string& value) { lines.rows.push_back({{name, value}}); };
    line("simulated time",
         fmt::format("{:.3f} s; 0D takes {:.3f} s", outcome.simulated_seconds(), outcome.sequential_seconds));
    line("speedup", fmt::format("{:.2f}x on {} rank{}: efficiency {:.1f} %", outcome.speedup(), outcome.options.ranks,
                                outcome.options.ranks == 1 ? "" : "s", 100 * outcome.efficiency()));
    line("time went into", fmt::format("{:.1f} % compute, {:.1f} % communication, {:.1f} % idle, of {} x {:.3f} s",
                                       spent.percent(spent.compute), spent.percent(spent.communication),
                                       spent.percent(spent.idle), outcome.options.ranks, outcome.simulated_seconds()));
    for (const auto& [name, what] : recovery_lines(outcome)) {
        line(name.c_str(), what);
    }
    if (outcome.options.mesh.pp > 1) {
        line("bubble", fmt::format("{:.1f} % of all time, a part of idle: stages wait for each other (schedule {})",
                                   100 * outcome.bubble_fraction(), outcome.options.schedule->name));
    }
    const char* why = "why";
    for (const std::string& sentence : why_not_ideal(outcome, spent)) {
        line(std::exchange(why, ""), sentence);
    }
    if (outcome.options.mesh.ep > 1) {
        line("experts", experts_as_megatron(outcome.options.mesh));
    }
    line("loss", fmt::format("{:.6f} -> {:.6f}", outcome.loss_before, outcome.loss));
    line("weights", agreement(outcome));
    line("timeline", outcome.result.timeline_sha256.substr(0, 16));
    line("wall time", fmt::format("{:.3f} s", outcome.result.wall_seconds));
    return header(outcome) + "\n" + table(outcome) + "\n" + text_of(lines);
}

}  // namespace sim::scenarios
