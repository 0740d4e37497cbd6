// The links, their traffic, and how long a step waits for it.
#include "libsim/explain/explained_run.hpp"
#include "libsim/explain/explained_step.hpp"
#include "libsim/predict/machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace sim::explain {

using namespace predict;

namespace {

// Bytes on the bus, and their transmission time without other traffic.
struct Traffic {
    double bytes = 0;
    double seconds = 0;

    void add(const CommunicationUse& use) {
        const double alone = use.seconds_alone * static_cast<double>(use.count);
        seconds += alone;
        bytes += alone * use.bus_bandwidth;
    }
};

template <class Predicate>
Traffic traffic_of(const Prediction& step, Predicate&& counts) {
    Traffic sum;
    for (const CommunicationUse& use : step.communication) {
        if (counts(use)) {
            sum.add(use);
        }
    }
    return sum;
}

FigureTable uses_table(const Prediction& step, const CollectiveWords& words) {
    FigureTable table{
        .key = "uses",
        .title = "Communication of a GPU in a step, by kind and size; alone: one operation without other traffic",
        .columns = {{"what", "what", Unit::words, "", "what"},
                    {"count", "count", Unit::count, "per step", "count"},
                    {"bytes", "size", Unit::bytes, "per operation", "bytes"},
                    {"members", "GPUs", Unit::count, "in the group", "members"},
                    {"over", "over", Unit::words},
                    {"algorithm", "algorithm", Unit::words, words.algorithm, "algorithm"},
                    {"alone", "alone", Unit::seconds, words.alone, "seconds_alone"},
                    {"bus", "busbw", Unit::bytes_per_second, "as nccl-tests defines it", "busbw"},
                    {"link_share", "of link", Unit::share, "busbw / the link's rate", "share_of_link"}}};
    for (std::size_t i = 0; i < step.communication.size(); ++i) {
        const CommunicationUse& use = step.communication[i];
        table.rows.push_back(
            {{use.what, use.count, use.bytes, std::int64_t{use.members}, use.across_nodes ? "network" : "node",
              use.algorithm, use.seconds_alone, use.bus_bandwidth, use.link_share},
             fmt::format("/communication/{}", i)});
    }
    return table;
}

// Uses that differ only in bucket size, with averages.
struct KindOfUse {
    CommunicationUse use;
    double bytes = 0;   // total
    double alone = 0;   // seconds, total if run one after the other
    double on_bus = 0;  // bytes
};

bool is_one_sort(const CommunicationUse& a, const CommunicationUse& b) {
    return a.what == b.what && a.members == b.members && a.across_nodes == b.across_nodes;
}

void add(std::vector<KindOfUse>& lines, const CommunicationUse& use) {
    const auto same = [&](const KindOfUse& line) { return is_one_sort(line.use, use); };
    auto found = std::find_if(lines.begin(), lines.end(), same);
    if (found == lines.end()) {
        found = lines.insert(lines.end(), KindOfUse{.use = use});
        found->use.count = 0;
        found->use.exposed_seconds = 0;
    }
    const auto count = static_cast<double>(use.count);
    // Shows the algorithm with the most bytes.
    if (count * static_cast<double>(use.bytes) > found->bytes) {
        found->use.algorithm = use.algorithm;
    }
    found->use.count += use.count;
    found->use.exposed_seconds += use.exposed_seconds;
    found->bytes += count * static_cast<double>(use.bytes);
    found->alone += count * use.seconds_alone;
    found->on_bus += count * use.seconds_alone * use.bus_bandwidth;
}

FigureTable kinds_table(const Prediction& step) {
    FigureTable table{.key = "kinds",
                      .title =
                          "Communication of a rank in a step, by kind; size and time alone are averages of one "
                          "operation",
                      .columns = {{"what", "what", Unit::words},
                                  {"count", "count", Unit::count},
                                  {"bytes", "size", Unit::bytes},
                                  {"members", "ranks", Unit::count},
                                  {"over", "over", Unit::words},
                                  {"algorithm", "algorithm", Unit::words},
                                  {"alone", "alone", Unit::seconds},
                                  {"exposed", "exposed", Unit::seconds},
                                  {"algbw", "algbw", Unit::bytes_per_second},
                                  {"bus", "busbw", Unit::bytes_per_second},
                                  {"link_share", "of link", Unit::share}},
                      .at = Shown::brief};
    std::vector<KindOfUse> kinds;
    for (const CommunicationUse& use : step.communication) {
        add(kinds, use);
    }
    for (const KindOfUse& kind : kinds) {
        const CommunicationUse& use = kind.use;
        const auto count = static_cast<double>(std::max<std::int64_t>(1, use.count));
        const double bandwidth = kind.alone > 0 ? kind.bytes / kind.alone : 0;
        const double bus = kind.alone > 0 ? kind.on_bus / kind.alone : 0;
        const double link = use.link_share > 0 ? use.bus_bandwidth / use.link_share : 0;  // the line's peak rate
        table.rows.push_back(
            {{use.what, use.count, kind.bytes / count, std::int64_t{use.members}, use.across_nodes ? "network" : "node",
              use.algorithm, kind.alone / count, use.exposed_seconds, bandwidth, bus, link > 0 ? bus / link : 0}});
    }
    return table;
}

Sentence links_sentence(const StepReport& report) {
    if (report.step.communication.empty()) {
        return {"No data crosses any link: the GPUs do not communicate."};
    }
    const bool across = report.what.gpus() > report.what.machine.gpus_per_node;
    return across ? Sentence{"In a step, a GPU sends {node_bytes} in operations within its node, and {network_bytes} in operations that span nodes."}
                  : Sentence{"In a step, a GPU sends {node_bytes} over the links of its node; nothing leaves the node."};
}

// "4 NVSwitch3 with SHARP, 450 GB/s/dir", if the machine file gives it.
std::string wires_of(const std::string& machine) {
    for (const auto& [name, text] : read_machine_with_sources(machine).remarks) {
        if (name == "links") {
            return text;
        }
    }
    return "";
}

bool is_communication(TimeCategory category) {
    return part_of(category) == TimePart::communication;
}

bool is_waiting(TimeCategory category) {
    return category == TimeCategory::bubble || category == TimeCategory::straggler;
}

}  // namespace

double exposed_seconds(const Budget& budget) {
    double sum = 0;
    for (std::size_t i = 0; i < budget.size(); ++i) {
        sum += is_communication(static_cast<TimeCategory>(i)) ? budget[i] : 0;
    }
    return sum;
}

std::optional<Section> explain_links(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    const training::Machine& machine = report.what.machine;
    const CollectiveWords words = collective_words(machine.gpu);
    Section section{.kind = SectionKind::links};
    section.said = {links_sentence(report)};
    const Traffic node = traffic_of(report.step, [](const CommunicationUse& use) { return !use.across_nodes; });
    const Traffic network = traffic_of(report.step, [](const CommunicationUse& use) { return use.across_nodes; });
    const char* const on_bus = "sum of count x alone x busbw";
    section.figures = {
        {"node_rate", "link within a node", machine.scale_up, Unit::bytes_per_second,
         "per GPU and direction, hardware file of " + machine.name},
        {"node_reached", "rate that a ring achieves", machine.network.within, Unit::bytes_per_second,
         "link rate x " + words.reached},
        {"node_latency", "latency of a message", machine.network.message_latency, Unit::seconds, "hardware file"},
        {"node_bytes", "sent within the node", node.bytes, Unit::bytes, on_bus},
    };
    if (machine.scale_out > 0) {
        section.figures.insert(section.figures.end(),
                               {{"network_rate", "link between nodes", machine.scale_out, Unit::bytes_per_second,
                                 "per GPU and direction, hardware file of " + machine.name},
                                {"network_reached", "rate that a ring achieves", machine.network.across,
                                 Unit::bytes_per_second, "link rate x " + words.reached},
                                {"network_latency", "latency of a message", machine.network.message_latency_across,
                                 Unit::seconds, "hardware file"}});
    }
    // The short level does not name the wires, and a machine file may be a pipe, which can be read once.
    if (explained.level != Level::brief) {
        if (const std::string wires = wires_of(report.options.training.machine); !wires.empty()) {
            section.figures.push_back({"wires", "links of a node", wires, Unit::words, "hardware file"});
        }
    }
    section.figures.push_back({"network_bytes", "sent across nodes", network.bytes, Unit::bytes, on_bus});
    section.figures.push_back({"host_rate", "link to the host's memory", machine.host_link, Unit::bytes_per_second,
                               "hardware file of " + machine.name});
    if (!report.step.communication.empty()) {
        section.tables = {kinds_table(report.step), uses_table(report.step, words)};
    } else {
        section.brief = {{"", section.said.front().text}};
    }
    return section;
}

std::optional<Section> explain_synchronisation(const ExplainedStep& explained) {
    const Prediction& step = explained.report->step;
    Section section{.kind = SectionKind::synchronisation};
    const Traffic all = traffic_of(step, [](const CommunicationUse&) { return true; });
    const double exposed = exposed_seconds(step.budget);
    double waited = 0;
    std::vector<Figure> parts;
    for (std::size_t i = 0; i < time_categories; ++i) {
        const auto category = static_cast<TimeCategory>(i);
        waited += is_waiting(category) ? step.budget[i] : 0;
        if (step.budget[i] > 0 && (is_communication(category) || is_waiting(category))) {
            parts.push_back({std::string("exposed_") + name_of(category), title_of(category), step.budget[i],
                             Unit::seconds, "simulated: time in which a GPU does nothing else",
                             std::string("/breakdown/") + name_of(category)});
        }
    }
    section.said = {
        {"In each step, GPUs spend {exposed} ({exposed_share}) on communication that no computation hides, and "
         "{waited} waiting for each other. Without overlap, all communication would take {alone}; {hidden} of it is "
         "hidden by computation."}};
    section.figures = {
        {"exposed", "exposed communication", exposed, Unit::seconds, "the average over all GPUs"},
        {"exposed_share", "share of the step", exposed / seconds(step.step), Unit::share,
         "exposed communication / step"},
        {"waited", "waiting for others", waited, Unit::seconds, "pipeline bubble and stragglers"},
        {"alone", "all communication, not overlapped", all.seconds, Unit::seconds, "sum of count x alone"},
        {"hidden", "hidden by computation", std::max(0.0, all.seconds - exposed), Unit::seconds,
         "all communication - exposed"},
    };
    section.figures.insert(section.figures.end(), parts.begin(), parts.end());
    return section;
}

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

struct Messages {
    std::int64_t messages = 0;
    std::set<std::pair<int, int>> pairs;
};
// Messages of one sort, with their size.
using Sort = std::tuple<std::string, bool, Measure, std::int64_t>;

std::map<Sort, Messages> traffic_of(const ExplainedRun& run) {
    std::map<Sort, Messages> all;
    for (const Span& span : run.timeline.spans) {
        if (span.kind == OpKind::send) {
            Messages& own = all[{sort_of(*span.label), span.tag < 0, span.measure, span.amount}];
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
                      .title = "Messages of the whole run, by kind and size",
                      .columns = {{"what", "what", Unit::words},
                                  {"kind", "kind", Unit::words},
                                  {"messages", "messages", Unit::count, "counted in the timeline"},
                                  {"links", "links", Unit::count, "pairs of ranks"},
                                  {"each", "each", Unit::count, "as sent"},
                                  {"all", "total", Unit::count, "messages x each"},
                                  {"unit", "unit", Unit::words},
                                  {"seconds", "time of one", Unit::seconds, "on this network, without other traffic"}}};
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
    FigureTable table{
        .key = "by_kind",
        .title = "Average of a rank per step, by kind",
        .columns = {{"what", "what", Unit::words},
                    {"exposed", "exposed", Unit::seconds, "simulated: on its main stream, including waiting"},
                    {"beside", "overlapped", Unit::seconds, "simulated: on other streams"}}};
    const double share = 1.0 / (static_cast<double>(run.ranks()) * run.steps());
    for (const auto& [what, time] : all) {
        table.rows.push_back({{what, seconds(time.exposed) * share, seconds(time.beside) * share}});
    }
    return table;
}

}  // namespace

std::optional<Section> explain_links(const ExplainedRun& run) {
    Section section{.kind = SectionKind::links};
    section.figures = {
        figure_at(run, "/profile", {"profile", "network", {}, Unit::words, "--profile: what messages cost"}),
        figure_at(run, "/messages", {"messages", "messages", {}, Unit::count, "of the whole run"})};
    section.said = {{"The ranks exchanged {messages} messages, priced by the profile {profile}."}};
    if (run.result.at("messages") == 0) {
        section.said = {{"No data crosses any link: {messages} messages."}};
        return section;
    }
    section.tables = {traffic_table(run)};
    return section;
}

std::optional<Section> explain_synchronisation(const ExplainedRun& run) {
    Section section{.kind = SectionKind::synchronisation};
    const RunLosses losses = losses_of(run);
    const double share = 1.0 / (static_cast<double>(run.ranks()) * run.steps());
    section.figures = {
        {"communication_seconds", "sending and receiving", seconds(losses.communication) * share, Unit::seconds,
         "average of a rank per step: sum of per_rank / (ranks x steps)"},
        {"waiting_seconds", "waiting for others", seconds(losses.bubble + losses.waiting) * share, Unit::seconds,
         "the same for idle time"},
        {"step_seconds", "a step", run.seconds() / run.steps(), Unit::seconds, "run / steps"},
    };
    section.said = {
        {"In a step of {step_seconds}, a rank spends {communication_seconds} on messages and {waiting_seconds} waiting "
         "for others."}};
    if (run.result.at("messages") != 0) {
        section.tables = {synchronising_table(run)};
    }
    return section;
}

}  // namespace sim::explain
