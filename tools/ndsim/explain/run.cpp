#include "tools/ndsim/explain/run.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/config/shell_command.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/explain/explained_run.hpp"
#include "libsim/split.hpp"
#include "libsim/trace/stragglers.hpp"
#include "tools/command_line/child_process.hpp"
#include "tools/ndsim/compare/run_again.hpp"
#include "tools/ndsim/explain/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace sim::tools {

using namespace command_line;

namespace {

using Words = std::vector<std::string>;
using ResultJson = nlohmann::ordered_json;

struct ChildSaid {
    int code = 0;
    std::string out;
    std::string err;
};

ChildSaid say(const std::string& program, Words arguments, const Words& more) {
    const PassingFolder folder;
    const ChildFiles files{.out = folder.file("out"), .err = folder.file("err")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const int code = run_child(fmt::format("{}/{}", own_folder(), program), arguments, files);
    return {code, config::read_text(files.out, "a text", config::written_by_programs),
            config::read_text(files.err, "a text", config::written_by_programs)};
}

std::string command_of(const std::string& program, const Words& arguments) {
    std::string command = program;
    for (const std::string& word : arguments) {
        command += " " + config::shell_word(word);
    }
    return command;
}

// The options that 0d_sequential shares with the scenarios: those of the training itself.
constexpr std::array options_of_training{
    "items",  "compute-units", "gradient-units", "activation-units", "steps",   "seed",
    "layers", "hidden",        "heads",          "sequence",         "experts", "top-k",
    "loss",   "optimizer",     "profile",
};

ResultJson alone(const ResultJson& result) {
    Words arguments;
    for (const char* const name : options_of_training) {
        if (const auto value = result.at("given").find(name); value != result.at("given").end()) {
            arguments.push_back(
                fmt::format("--{}={}", name, value->is_string() ? value->get<std::string>() : value->dump()));
        }
    }
    const ChildSaid said = say("0d_sequential", arguments, {"--host", "fiber", "--quiet", "--json"});
    return said.code == 0 ? ResultJson::parse(said.out) : ResultJson();
}

void add_faults(Words& arguments, const std::vector<faults::Injection>& faults) {
    for (const faults::Injection& one : faults) {
        arguments.insert(arguments.end(), {"--fault", to_text(one)});
    }
}

// The same run with a rank killed, or with the given faults; nothing if it ends regardless.
std::optional<explain::KilledRun> killed(const RunQuestion& question, const ResultJson& result) {
    const int rank = result.at("ranks").get<int>() / 2;
    const double at = result.at("simulated_seconds").get<double>() / 2;
    std::vector<faults::Injection> all = question.faults;
    if (std::none_of(all.begin(), all.end(), faults::breaks)) {
        all.emplace_back(faults::KillRank{rank, Time{duration_of_seconds(at)}});
    }
    Words arguments = question.arguments;
    add_faults(arguments, all);
    const ChildSaid said = say(question.scenario, arguments, {"--quiet", "--json"});
    if (said.code == 2) {
        throw config::UsageError(said.err.substr(0, said.err.find('\n')));
    }
    if (said.code == 0 || said.out.empty()) {
        return std::nullopt;
    }
    explain::KilledRun run{.result = ResultJson::parse(said.out), .command = command_of(question.scenario, arguments)};
    for (const std::string& line : split(said.err, '\n')) {
        if (!line.empty()) {
            run.said.push_back(line);
        }
    }
    return run;
}

// A change of a scenario's run. It is tried only if `when` says that it can help.
struct RunChange {
    const char* what;
    bool (*when)(const explain::ExplainedRun& run);
    Words (*options)(const explain::ExplainedRun& run);
};

bool has_replicas(const explain::ExplainedRun& run) {
    return run.mesh("dp") > 1;
}
bool has_stages(const explain::ExplainedRun& run) {
    return run.mesh("pp") > 1;
}
bool has_tensors(const explain::ExplainedRun& run) {
    return run.mesh("tp") > 1;
}

const RunChange run_changes[] = {
    {"items divided by the GPUs' speed: slow ones get fewer",
     [](const explain::ExplainedRun& run) {
         return has_replicas(run) && !trace::blame(run.timeline.spans).ranks.empty();
     },
     [](const explain::ExplainedRun&) { return Words{"--weighted"}; }},
    {"gradients sent in 4 buckets during the backward pass", has_replicas,
     [](const explain::ExplainedRun&) {
         return Words{"--overlap", "--buckets", "4"};
     }},
    {"16-bit gradients: half as much to send", has_replicas,
     [](const explain::ExplainedRun&) {
         return Words{"--compress", "16-bit"};
     }},
    {"gradients sent straight to every replica, without a ring", has_replicas,
     [](const explain::ExplainedRun&) {
         return Words{"--synchronize", "direct"};
     }},
    {"twice as many replicas, on twice as many GPUs", has_replicas,
     [](const explain::ExplainedRun& run) {
         return Words{"--dp", std::to_string(2 * run.mesh("dp"))};
     }},
    {"twice as many micro-batches of half the size", has_stages,
     [](const explain::ExplainedRun& run) {
         return Words{"--micro-batches", std::to_string(2 * run.result.at("options").at("micro_batches").get<int>())};
     }},
    {"two chunks of the model on each stage", has_stages,
     [](const explain::ExplainedRun&) {
         return Words{"--schedule", "interleaved"};
     }},
    {"weight gradients fill the bubble", has_stages,
     [](const explain::ExplainedRun&) {
         return Words{"--schedule", "zb_h1"};
     }},
    {"sequence positions sharded where heads are not split", has_tensors,
     [](const explain::ExplainedRun&) { return Words{"--sequence-parallel"}; }},
};

// Removes --host: tried runs are on fibers, whatever the user chose.
Words without_host(const Words& arguments) {
    Words kept;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--host") {
            ++i;
        } else if (!arguments[i].starts_with("--host=")) {
            kept.push_back(arguments[i]);
        }
    }
    return kept;
}

// Runs each change that applies, on fibers: simulated times do not depend on the host.
std::vector<explain::TriedRun> tried(const RunQuestion& question, const explain::ExplainedRun& run) {
    std::vector<explain::TriedRun> found;
    for (const RunChange& change : run_changes) {
        if (!change.when(run)) {
            continue;
        }
        Words arguments = question.arguments;
        const Words options = change.options(run);
        const auto& given = run.result.at("given");
        if (given.contains(options.front().substr(2))) {
            continue;
        }
        arguments.insert(arguments.end(), options.begin(), options.end());
        const ChildSaid said =
            say(question.scenario, without_host(arguments), {"--host", "fiber", "--quiet", "--json"});
        if (said.code == 0) {
            found.push_back({change.what, command_of(question.scenario, arguments),
                             ResultJson::parse(said.out).at("simulated_seconds").get<double>()});
        }
    }
    return found;
}

}  // namespace

ExplainedScenario explained_scenario(const RunQuestion& asked) {
    RunQuestion question = asked;
    std::vector<faults::Injection> lasting = asked.faults;
    std::erase_if(lasting, faults::breaks);
    std::erase_if(question.faults, [](const faults::Injection& one) { return !faults::breaks(one); });
    add_faults(question.arguments, lasting);
    const PassingFolder folder;
    const std::string trace = folder.file("spans.ndjson");
    const ChildSaid said = say(question.scenario, question.arguments, {"--quiet", "--json", "--trace", trace});
    ExplainedScenario explained{.exit_code = said.code, .said = said.err};
    if (said.code != 0) {
        return explained;
    }
    const ComparedRun facts = run_of_text(question.scenario, said.out);
    explain::ExplainedRun run{.result = ResultJson::parse(said.out),
                              .timeline = timeline_of_run(facts, trace),
                              .cluster = config::read_profile(facts.profile, static_cast<int>(facts.totals.size())),
                              .command = command_of(question.scenario, question.arguments),
                              .explainer_pid = static_cast<int>(getpid()),
                              .settings = question.settings};
    run.timeline.pids.clear();
    for (const auto& rank : run.result.at("per_rank")) {
        run.timeline.pids.push_back(rank.at("pid").get<int>());
    }
    run.alone = alone(run.result);
    if (run.ranks() > 1) {
        run.killed = killed(question, run.result);
    }
    run.tried = tried(question, run);
    explained.explanation = {.title = fmt::format("{} on {} GPUs", question.scenario, run.ranks()),
                             .of = run.command,
                             .scenario = question.scenario,
                             .level = question.level,
                             .sections = sections_of(run)};
    explained.timeline = std::move(run.timeline);
    return explained;
}

}  // namespace sim::tools
