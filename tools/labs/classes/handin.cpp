#include "tools/labs/classes/handin.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "tools/labs/desk/child_words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace sim::labs {

namespace {

namespace fs = std::filesystem;

struct Program {
    std::string folder;
    std::string file;
    Language language = Language::python;
};

void add_programs(std::vector<Program>& found, const Lab& lab, const std::string& folder) {
    for (const Language language : all_languages) {
        const std::string file = (fs::path(folder) / file_of(language)).string();
        if (has_language(lab, language) && fs::is_regular_file(file)) {
            found.push_back({folder, file, language});
        }
    }
}

std::vector<Program> programs_in(const Lab& lab, const std::string& submission) {
    std::vector<Program> found;
    if (fs::is_regular_file(submission)) {
        add_programs(found, lab, fs::path(submission).parent_path().string());
        std::erase_if(found, [&](const Program& each) { return fs::path(each.file) != fs::path(submission); });
        return found;
    }
    add_programs(found, lab, submission);
    add_programs(found, lab, (fs::path(submission) / lab.folder).string());
    return found;
}

std::string files_of(const Lab& lab) {
    std::string names;
    for (const Language language : all_languages) {
        if (has_language(lab, language)) {
            names += (names.empty() ? "" : " or ") + std::string(file_of(language));
        }
    }
    return names;
}

// Reads predictions and attempts from the lab.json beside the program.
DeskState read_desk(const Program& program, Desk& desk) {
    try {
        const std::optional<Desk> theirs = desk_in(program.folder.empty() ? "." : program.folder);
        if (!theirs) {
            return DeskState::is_not_there;
        }
        if (!theirs->is_signed) {
            return DeskState::is_changed;
        }
        if (theirs->seed != desk.seed || theirs->lab->number != desk.lab->number) {
            return DeskState::is_of_another_seed;
        }
        desk.predictions = theirs->predictions;
        desk.attempts = theirs->attempts;
        desk.hints_seen = theirs->hints_seen;
        return DeskState::is_signed;
    } catch (const config::UsageError&) {
        return DeskState::is_changed;
    }
}

}  // namespace

std::vector<std::string> names_in_metadata(const std::string& file) {
    try {
        const nlohmann::json metadata = nlohmann::json::parse(config::read_json_text(file, "Gradescope's metadata"));
        std::vector<std::string> names;
        for (const nlohmann::json& user : metadata.at("users")) {
            for (const char* const key : {"email", "sid"}) {
                if (user.contains(key) && user.at(key).is_string()) {
                    names.push_back(user.at(key));
                }
            }
        }
        if (names.empty()) {
            throw config::UsageError(file + ": this submission is nobody's: it names no user");
        }
        std::sort(names.begin(), names.end());
        return names;
    } catch (const nlohmann::json::exception& error) {
        throw config::UsageError(fmt::format("{}: not Gradescope's submission_metadata.json: {}", file,
                                             config::without_number(error.what())));
    }
}

// Both the account and the assignment may contain hyphens.
std::vector<std::string> names_in_repository(const std::string& repository) {
    const std::string name = repository.substr(repository.rfind('/') + 1);
    std::vector<std::string> names;
    for (std::size_t at = name.find('-'); at != std::string::npos; at = name.find('-', at + 1)) {
        names.push_back(name.substr(at + 1));
    }
    return names;
}

Graded grade_handin(const Lab& lab, const std::string& submission, std::uint64_t seed, const std::string& folder) {
    const std::vector<Program> programs = programs_in(lab, submission);
    if (programs.size() != 1) {
        Graded graded{.desk = {.folder = folder, .lab = &lab, .language = Language::python, .seed = seed},
                      .checked = {},
                      .standing = {}};
        graded.checked.trouble =
            programs.empty() ? fmt::format("There is no {} in what was handed in.", files_of(lab))
                             : fmt::format("There are several programs in what was handed in: {} and {}. Hand in one.",
                                           file_of(programs[0].language), file_of(programs[1].language));
        graded.standing.desk = DeskState::is_not_there;
        return graded;
    }
    const Program& program = programs.front();
    Graded graded{.desk = open_desk(lab, folder, program.language, seed), .checked = {}, .standing = {}};
    fs::copy_file(program.file, graded.desk.file(), fs::copy_options::overwrite_existing);
    graded.standing.desk = read_desk(program, graded.desk);
    graded.checked = check_desk(graded.desk, ranks::Host::process);
    return graded;
}

}  // namespace sim::labs
