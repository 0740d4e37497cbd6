#include "tools/labs/desk/play_scripts.hpp"

#include "libsim/config/errors.hpp"
#include "ranks/exit_code.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/labs/desk/child_words.hpp"
#include "tools/labs/desk/files.hpp"
#include "tools/labs/desk/toolbox.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sim::labs {

namespace {

// Includes the import of PyTorch, and all scripts that are played with it.
constexpr const char* most_seconds_of_scripts = "300";

}  // namespace

PlayedScripts play_scripts(const std::vector<std::string>& files, const std::vector<Case>& cases) {
    const command_line::PassingFolder passing;
    std::ofstream(passing.file("cases.json")) << lab::to_json(cases);
    const Toolbox toolbox = read_toolbox();
    let_python_find_ndsim(toolbox);
    std::vector<std::string> words{"timeout",
                                   "--foreground",
                                   "--kill-after=1",
                                   most_seconds_of_scripts,
                                   toolbox.interpreter,
                                   "-m",
                                   "ndsim.torchrun.lab",
                                   "--play",
                                   passing.file("cases.json"),
                                   "--into",
                                   passing.file("record")};
    words.insert(words.end(), files.begin(), files.end());
    const int code =
        command_line::run_child("/usr/bin/env", words, {.out = passing.file("out"), .err = passing.file("said")});
    const std::string said = text_in(passing.file("out")) + text_in(passing.file("said"));
    if (code == exit_code::machine_limit) {
        throw config::MachineLimit("labs as PyTorch scripts cannot be run here: " + last_line(said));
    }
    if (code == exit_code_of_timeout) {
        return {.trouble = fmt::format("the script does not end: it was stopped after {} s", most_seconds_of_scripts)};
    }
    PlayedScripts played;
    played.records.resize(files.size());
    for (std::size_t script = 0; script < files.size(); ++script) {
        for (std::size_t at = 0; at < cases.size(); ++at) {
            const std::string file = passing.file(fmt::format("record-{}-{}", script, at));
            if (std::filesystem::exists(file)) {
                // Moved, because its spans point to labels that it holds.
                std::vector<Record> read = lab::records_from_json("a run's record", text_in(file));
                played.records[script].push_back(std::move(read.front()));
                played.records[script].back().timeline.title = "yours";
            } else if (script < 2) {
                return {.trouble = last_line(said)};
            }
        }
    }
    command_line::tell(said);
    return played;
}

std::vector<std::string> write_references(const Lab& lab, const command_line::PassingFolder& folder) {
    const std::span<const LabFile> all = script_forms();
    const auto own =
        std::find_if(all.begin(), all.end(), [&](const LabFile& each) { return each.folder == lab.folder; });
    if (own == all.end()) {
        throw config::MachineLimit(
            "labs as PyTorch scripts cannot be checked here: this ndsim was built without its Python package");
    }
    const nlohmann::json forms = nlohmann::json::parse(own->text);
    std::vector<std::string> files;
    const auto write = [&](const nlohmann::json& gap) {
        files.push_back(folder.file(files.empty() ? "solution.form" : fmt::format("mistake-{}.form", files.size())));
        const nlohmann::json form{{"starter", lab_file(own->folder, "train.py")}, {"gap", gap}};
        std::ofstream(files.back()) << form.dump();
    };
    write(forms.at("solution"));
    for (const nlohmann::json& mistake : forms.at("mistakes")) {
        write(mistake.at("gap"));
    }
    return files;
}

std::vector<Record> play_solution(const Lab& lab, const std::vector<Case>& cases) {
    const command_line::PassingFolder passing;
    PlayedScripts played = play_scripts({write_references(lab, passing).front()}, cases);
    if (!played.trouble.empty()) {
        throw config::MachineLimit("the solution cannot be run here: " + played.trouble);
    }
    return std::move(played.records.front());
}

}  // namespace sim::labs
