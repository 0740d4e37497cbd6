// The links of a scenario's run: their traffic, and how much of each step the ranks spent on it.
#include "libsim/explain/run_sections.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

namespace sim::explain {

namespace {

// The sort of "forward of micro-batch 3, layer 1" is "forward of micro-batch".
std::string sort_of(const std::string& label) {
    std::string text = label.substr(0, label.find_first_of("0123456789"));
    while (!text.empty() && (text.back() == ' ' || text.back() == ',')) {
        text.pop_back();
    }
    return text.empty() ? label : text;
}

bool is_communication(OpKind kind) {
    return kind == OpKind::send || kind == OpKind::receive || kind == OpKind::collective;
}

struct Traffic {
    std::int64_t messages = 0;
    std::set<std::pair<int, int>> pairs;
};
// Messages of one sort, with their size.
using Sort = std::tuple<std::string, bool, Measure, std::int64_t>;

std::map<Sort, Traffic> traffic_of(const ExplainedRun& run) {
    std::map<Sort, Traffic> all;
    for (const Span& span : run.timeline.spans) {
        if (span.kind == OpKind::send) {
            Traffic& own = all[{sort_of(*span.label), span.tag < 0, span.measure, span.amount}];
            ++own.messages;
            own.pairs.emplace(span.rank, span.peer);
        }
    }
    return all;
}

// The amount in units or in bytes.
double count_of(const Size& size) {
    return size.measure == Measure::units ? Units::from_billionths(size.amount).value()
                                          : static_cast<double>(size.amount);
}

// The price of one message alone, if the network has one.
Value price_of(const ExplainedRun& run, const Size& size) {
    if (run.timeline.topology != nullptr || !run.cluster.network->prices_messages()) {
        return {};
    }
    return seconds(transfer_time(run.cluster, size));
}

FigureTable traffic_table(const ExplainedRun& run) {
    FigureTable table{.key = "messages",
                      .title = "Messages of the whole run, those that are alike in one line",
                      .columns = {{"what", "what", Unit::words},
                                  {"kind", "in a", Unit::words},
                                  {"messages", "messages", Unit::count, "counted in the timeline"},
                                  {"links", "over links", Unit::count, "pairs of ranks"},
                                  {"each", "each", Unit::count, "as it was sent"},
                                  {"all", "all", Unit::count, "messages x each"},
                                  {"unit", "of", Unit::words},
                                  {"seconds", "one takes", Unit::seconds, "the network's price of one, alone"}}};
    for (const auto& [sort, traffic] : traffic_of(run)) {
        const auto& [what, in_collective, measure, amount] = sort;
        const Size size(amount, measure);
        const double each = count_of(size);
        table.rows.push_back(
            {{what, std::string(in_collective ? "collective" : "message"), traffic.messages,
              static_cast<std::int64_t>(traffic.pairs.size()), each, each * static_cast<double>(traffic.messages),
              std::string(measure == Measure::units ? "units" : "bytes"), price_of(run, size)}});
    }
    return table;
}

struct Synchronising {
    Duration exposed{0};  // time on the main stream
    Duration beside{0};
};

FigureTable synchronising_table(const ExplainedRun& run) {
    std::map<std::string, Synchronising> all;
    for (const Span& span : run.timeline.spans) {
        if (is_communication(span.kind)) {
            Synchronising& own = all[sort_of(*span.label)];
            (span.stream == Stream::main ? own.exposed : own.beside) += span.end - span.begin;
        }
    }
    FigureTable table{.key = "by_kind",
                      .title = "For each kind, of one rank in one step, on average",
                      .columns = {{"what", "what", Unit::words},
                                  {"exposed", "in the program's way", Unit::seconds,
                                   "simulated: on its main stream, waiting included"},
                                  {"beside", "beside it", Unit::seconds, "simulated: on other streams"}}};
    const double share = 1.0 / (static_cast<double>(run.ranks()) * run.steps());
    for (const auto& [what, time] : all) {
        table.rows.push_back({{what, seconds(time.exposed) * share, seconds(time.beside) * share}});
    }
    return table;
}

}  // namespace

std::optional<Section> explain_run_links(const ExplainedRun& run) {
    Section section{.kind = SectionKind::links};
    section.figures = {
        figure_at(run, "/profile", {"profile", "network", {}, Unit::words, "--profile: what messages cost"}),
        figure_at(run, "/messages", {"messages", "messages", {}, Unit::count, "of the whole run"})};
    section.said = {{"The ranks exchanged {messages} messages, priced by the profile {profile}."}};
    if (run.result.at("messages") == 0) {
        section.said = {{"Nothing goes over any link: {messages} messages."}};
        return section;
    }
    section.tables = {traffic_table(run)};
    return section;
}

std::optional<Section> explain_run_synchronisation(const ExplainedRun& run) {
    Section section{.kind = SectionKind::synchronisation};
    const RunLosses losses = losses_of(run);
    const double share = 1.0 / (static_cast<double>(run.ranks()) * run.steps());
    section.figures = {
        {"communication_seconds", "sending and receiving", seconds(losses.communication) * share, Unit::seconds,
         "of a rank in a step, on average: the sum of per_rank / (ranks x steps)"},
        {"waiting_seconds", "waiting for others", seconds(losses.bubble + losses.waiting) * share, Unit::seconds,
         "the same of idle time"},
        {"step_seconds", "a step", run.seconds() / run.steps(), Unit::seconds, "run / steps"},
    };
    section.said = {
        {"In a step of {step_seconds} a rank spends {communication_seconds} with messages and waits "
         "{waiting_seconds} for others."}};
    if (run.result.at("messages") != 0) {
        section.tables = {synchronising_table(run)};
    }
    return section;
}

}  // namespace sim::explain
