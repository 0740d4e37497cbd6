// The input pipeline of a training step: the samples that each replica needs, and how long the GPU waits for them.
#include "libsim/explain/step_sections.hpp"

#include <fmt/format.h>

namespace sim::explain {

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
                                            "assumed: text of 4 B a token is turned into tokens at 3.1 MB/s "
                                            "(Hugging Face tokenizers: 1 GB in 20 s, taken as on 16 cores)"},
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
             {"busy", "processes that load or train on it", std::int64_t{wanted}, Unit::count,
              "GPUs of a node x (1 + loader workers)"}});
        section.notes.push_back(wanted > machine.host_cores
                                    ? Sentence{"A node has {cores} cores for {busy} processes: they slow each other."}
                                    : Sentence{"A node has {cores} cores for the {busy} processes."});
    }
    return section;
}

}  // namespace sim::explain
