#include "tools/ndsim/compare/run_again.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/interop/trace_files/read_trace.hpp"
#include "libsim/nearest.hpp"
#include "libsim/parallel/mesh.hpp"
#include "libsim/report/mesh_axes.hpp"
#include "tools/command_line/child_process.hpp"
#include "tools/command_line/run_options.hpp"
#include "tools/ndsim/known_scenarios.hpp"
#include "tools/ndsim/train.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace sim::tools {

using namespace command_line;

using namespace config;

namespace {

[[noreturn]] void refuse_again(const ComparedRun& run, const std::string& why) {
    throw UsageError(fmt::format("{}: its run cannot be shown: {}", run.file, why));
}

// The same options can give another run if a file that they name, or the simulator, has changed.
void check_timeline(const ComparedRun& run, const std::string& sha256) {
    if (sha256 != run.timeline_sha256) {
        refuse_again(
            run, fmt::format("repeated, its timeline is another one, {:.16} and not {:.16}; print the result again, "
                             "with this version and the current files",
                             sha256, run.timeline_sha256));
    }
}

report::Timeline predicted_again(const ComparedRun& run) {
    explain::StepOptions options;
    const std::vector<OptionRow> rows = train_rows(options);
    for (const auto& [name, value] : *run.given) {
        const OptionRow* const row = find_row(rows, name);
        if (row == nullptr) {
            refuse_again(
                run, fmt::format("unknown option {}{}", shortened(name), did_you_mean(name, option_names(rows), "--")));
        }
        set_option(*row, fmt::format("{}: given: {}", run.file, name), value);
    }
    report::Timeline spans;
    const explain::StepReport report =
        predicted_step(options, {.hash = true, .on_span = [&](const Span& span) { spans.add(span); }});
    check_timeline(run, report.step.timeline_sha256);
    return timeline_of(report, spans.spans);
}

// Refuses options that write files or end without a result: no result contains them.
void check_name(const ComparedRun& run, const std::string& name) {
    RunOptions options;
    std::vector<OptionRow> shown;
    add_output_rows(options, shown);
    const bool is_word =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) || c == '-'; });
    if (!is_word || find_row(shown, name) != nullptr || name == "config") {
        refuse_again(run, fmt::format("{} is no option of its result", shortened(name)));
    }
}

std::vector<std::string> arguments_of(const ComparedRun& run, const std::string& trace) {
    std::vector<std::string> arguments;
    for (const auto& [name, value] : *run.given) {
        check_name(run, name);
        if (!std::holds_alternative<bool>(value)) {
            arguments.push_back(fmt::format("--{}={}", name, typed_text(value)));
        } else if (std::get<bool>(value)) {
            arguments.push_back("--" + name);
        }
    }
    arguments.insert(arguments.end(), {"--host", "fiber", "--quiet", "--json", "--trace", trace});
    return arguments;
}

// The mesh of a scenario's result; of a single rank if it has none.
Mesh mesh_of(const ComparedRun& run) {
    std::vector<Axis> axes;
    for (const char* const name : {"dp", "tp", "pp", "ep", "cp"}) {
        const auto size = std::find_if(run.settings.begin(), run.settings.end(),
                                       [&](const auto& setting) { return setting.first == name; });
        axes.push_back({name, size == run.settings.end() ? 1 : std::stoi(size->second)});
    }
    return Mesh(axes);
}

report::Timeline launched_again(const ComparedRun& run) {
    if (!is_scenario(run.name)) {
        refuse_again(run, fmt::format("\"{}\" is not one of ndsim's scenarios{}", shortened(run.name),
                                      did_you_mean(run.name, known_scenarios())));
    }
    const PassingFolder folder;
    const std::string trace = folder.file("spans.ndjson");
    const ChildFiles files{.out = folder.file("out"), .err = folder.file("err")};
    const int code = run_child(fmt::format("{}/{}", own_folder(), run.name), arguments_of(run, trace), files);
    if (code != 0) {
        const std::string said = read_text(files.err, "a text", written_by_programs);
        refuse_again(run, said.empty() ? fmt::format("{} ended with exit code {}", run.name, code)
                                       : said.substr(0, said.find('\n')));
    }
    const ComparedRun again = run_of_text(run.file, read_text(files.out, "a JSON file", written_by_programs));
    check_timeline(run, again.timeline_sha256);
    return timeline_of_run(again, trace);
}

}  // namespace

report::Timeline timeline_of_run(const ComparedRun& run, const std::string& trace) {
    report::Timeline timeline = trace_files::read_trace(trace).timeline;
    timeline.title = run.name;
    timeline.ranks = static_cast<int>(run.totals.size());
    timeline.totals = run.totals;
    for (const Span& span : timeline.spans) {
        Time& end = timeline.totals.at(static_cast<std::size_t>(span.rank)).end;
        end = std::max(end, span.end);
    }
    if (const Mesh mesh = mesh_of(run); mesh.size() == timeline.ranks) {
        report::add_axes(timeline, {"pp", "dp", "ep", "cp", "tp"},
                         [&](int rank, const char* axis) { return mesh.coordinate(rank, axis); });
    }
    const Cluster cluster = read_profile(run.profile, timeline.ranks);
    timeline.facts = {{"profile", run.profile}};
    timeline.topology = cluster.network->shared_topology();
    timeline.bytes_per_unit = cluster.bytes_per_unit;
    return timeline;
}

report::Timeline run_again(const ComparedRun& run) {
    if (!run.given) {
        refuse_again(run, "it does not record its options, as current results do; print it again");
    }
    return run.is_prediction ? predicted_again(run) : launched_again(run);
}

}  // namespace sim::tools
