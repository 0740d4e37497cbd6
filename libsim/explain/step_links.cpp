// The links of a training step, their traffic, and how long a step waits for it.
#include "libsim/explain/collective_words.hpp"
#include "libsim/explain/step_sections.hpp"
#include "libsim/explain/train/sections.hpp"
#include "libsim/predict/machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    FigureTable table{.key = "uses",
                      .title =
                          "What a GPU sends in a step, by kind and size; alone: one of them, with nothing else "
                          "under way",
                      .columns = {{"what", "what", Unit::words, "", "what"},
                                  {"count", "count", Unit::count, "of a step", "count"},
                                  {"bytes", "size", Unit::bytes, "of one", "bytes"},
                                  {"members", "GPUs", Unit::count, "that take part", "members"},
                                  {"over", "over", Unit::words},
                                  {"algorithm", "algorithm", Unit::words, words.algorithm, "algorithm"},
                                  {"alone", "alone", Unit::seconds, words.alone, "seconds_alone"},
                                  {"bus", "busbw", Unit::bytes_per_second, "as nccl-tests define it", "busbw"},
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

Sentence links_sentence(const StepReport& report) {
    if (report.step.communication.empty()) {
        return {"Nothing goes over any link: no two GPUs share a step."};
    }
    const bool across = report.what.gpus() > report.what.machine.gpus_per_node;
    return across ? Sentence{"In a step a GPU sends {node_bytes} in exchanges within its node, and "
                             "{network_bytes} in exchanges that cross the network between nodes."}
                  : Sentence{"In a step a GPU sends {node_bytes} over the links of its node, which the step does not "
                             "leave."};
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
        {"node_reached", "that a ring reaches", machine.network.within, Unit::bytes_per_second,
         "the link's rate x " + words.reached},
        {"node_latency", "a message's latency", machine.network.message_latency, Unit::seconds, "hardware file"},
        {"node_bytes", "sent within the node", node.bytes, Unit::bytes, on_bus},
    };
    if (machine.scale_out > 0) {
        section.figures.insert(section.figures.end(),
                               {{"network_rate", "link between nodes", machine.scale_out, Unit::bytes_per_second,
                                 "per GPU and direction, hardware file of " + machine.name},
                                {"network_reached", "that a ring reaches", machine.network.across,
                                 Unit::bytes_per_second, "the link's rate x " + words.reached},
                                {"network_latency", "a message's latency", machine.network.message_latency_across,
                                 Unit::seconds, "hardware file"}});
    }
    if (const std::string wires = wires_of(explained.options->machine); !wires.empty()) {
        section.figures.push_back({"wires", "links of a node", wires, Unit::words, "hardware file"});
    }
    section.figures.push_back({"network_bytes", "sent in exchanges between nodes", network.bytes, Unit::bytes, on_bus});
    section.figures.push_back({"host_rate", "link to the host's memory", machine.host_link, Unit::bytes_per_second,
                               "hardware file of " + machine.name});
    if (!report.step.communication.empty()) {
        section.tables = {uses_table(report.step, words)};
    }
    return section;
}

std::optional<Section> explain_synchronisation(const ExplainedStep& explained) {
    const Prediction& step = explained.report->step;
    Section section{.kind = SectionKind::synchronisation};
    const Traffic all = traffic_of(step, [](const CommunicationUse&) { return true; });
    double exposed = 0;
    double waited = 0;
    std::vector<Figure> parts;
    for (std::size_t i = 0; i < time_categories; ++i) {
        const auto category = static_cast<TimeCategory>(i);
        exposed += is_communication(category) ? step.budget[i] : 0;
        waited += is_waiting(category) ? step.budget[i] : 0;
        if (step.budget[i] > 0 && (is_communication(category) || is_waiting(category))) {
            parts.push_back({std::string("exposed_") + name_of(category), title_of(category), step.budget[i],
                             Unit::seconds, "simulated: time in which a GPU does nothing else",
                             std::string("/breakdown/") + name_of(category)});
        }
    }
    section.said = {
        {"Of each step, GPUs spend {exposed} ({exposed_share}) on communication that no computation hides, "
         "and {waited} waiting for each other. One after the other, all of it would take {alone}; {hidden} "
         "of that runs beside computation."}};
    section.figures = {
        {"exposed", "communication that shows", exposed, Unit::seconds, "the average over all GPUs"},
        {"exposed_share", "… of the step", exposed / seconds(step.step), Unit::share,
         "communication that shows / step"},
        {"waited", "waiting for others", waited, Unit::seconds, "pipeline bubble and stragglers"},
        {"alone", "all of it alone", all.seconds, Unit::seconds, "sum of count x alone"},
        {"hidden", "hidden by computation", std::max(0.0, all.seconds - exposed), Unit::seconds, "alone - what shows"},
    };
    section.figures.insert(section.figures.end(), parts.begin(), parts.end());
    return section;
}

}  // namespace sim::explain
