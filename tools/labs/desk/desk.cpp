#include "tools/labs/desk/desk.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/labs/desk/files.hpp"
#include "tools/labs/desk/seal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace sim::labs {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* memory_file = "lab.json";
// Other files that a lab's desk gets if the lab has them.
constexpr std::array beside_the_starter{"patients.py", "patients.md"};

std::string path_in(const std::string& folder, const char* name) {
    return (fs::path(folder) / name).string();
}

void write_file(const std::string& path, const std::string& text) {
    command_line::write_output(path, [&](std::ostream& out) { out << text; });
}

Json json_of(const Attempt& attempt) {
    return {{"passed", attempt.passed},   {"points", attempt.points}, {"most_points", attempt.most_points},
            {"mistake", attempt.mistake}, {"value", attempt.value},   {"program", attempt.program}};
}

// The seal is a member of the object that it protects.
constexpr const char* seal_key = "seal";

bool is_signed(Json json) {
    const std::string seal = json.value(seal_key, "");
    json.erase(seal_key);
    return seal == seal_of(json.dump());
}

Desk desk_from(const std::string& folder) {
    const std::string path = path_in(folder, memory_file);
    try {
        const Json json = Json::parse(config::read_json_text(path, "a desk of a lab"));
        Desk desk{.folder = folder};
        const auto language = std::find_if(all_languages.begin(), all_languages.end(), [&](Language each) {
            return json.at("language").get<std::string>() == name_of(each);
        });
        if (language == all_languages.end()) {
            throw config::UsageError(fmt::format("{}: language must be cpp, python or torch", path));
        }
        desk.language = *language;
        desk.lab = &lab_in(lab_named(json.at("lab").get<std::string>()), desk.language);
        desk.seed = json.at("seed").get<std::uint64_t>();
        const std::string first = json.at("prediction").get<std::string>();
        desk.predictions = json.value("predictions", first.empty() ? std::vector<std::string>() : std::vector{first});
        desk.hints_seen = json.at("hints_seen").get<int>();
        for (const Json& each : json.at("attempts")) {
            desk.attempts.push_back({each.at("passed"), each.at("points"), each.at("most_points"), each.at("mistake"),
                                     each.value("value", 0.0), each.value("program", "")});
        }
        desk.is_signed = is_signed(json);
        return desk;
    } catch (const nlohmann::json::exception& error) {
        throw config::UsageError(fmt::format("{}: no desk of a lab: {}", path, config::without_number(error.what())));
    }
}

bool is_desk(const std::string& folder) {
    return fs::exists(path_in(folder, memory_file));
}

// With a cases file beside it, the learner's own program can be run by hand.
void write_case(const Desk& desk) {
    write_file(path_in(desk.folder, "case.json"), lab::to_json({desk.lab->cases(desk.seed).front()}));
}

}  // namespace

const char* name_of(Language language) {
    switch (language) {
        case Language::cpp: return "cpp";
        case Language::python: return "python";
        case Language::torch: return "torch";
    }
    return "";
}

const char* file_of(Language language) {
    switch (language) {
        case Language::cpp: return "lab.cpp";
        case Language::python: return "lab.py";
        case Language::torch: return "train.py";
    }
    return "";
}

const char* page_of(Language language) {
    return language == Language::torch ? "torch.md" : "README.md";
}

const char* hints_of(Language language) {
    return language == Language::torch ? "torch_hints.md" : "hints.md";
}

bool has_language(const Lab& lab, Language language) {
    return lab_file(lab.folder.data(), file_of(language)) != nullptr;
}

const Lab& lab_in(const Lab& lab, Language language) {
    for (const Lab& each : language == Language::torch ? torch_course() : course()) {
        if (each.number == lab.number && has_language(each, language)) {
            return each;
        }
    }
    throw config::UsageError(fmt::format("lab {} does not exist in {}", lab.number, name_of(language)));
}

const char* lab_file(const char* folder, const char* name) {
    for (const LabFile& file : lab_files()) {
        if (std::strcmp(file.folder, folder) == 0 && std::strcmp(file.name, name) == 0) {
            return file.text;
        }
    }
    return nullptr;
}

bool Desk::may_know_answer() const {
    constexpr std::size_t enough = 3;
    return predictions.size() >= enough ||
           std::any_of(attempts.begin(), attempts.end(), [](const Attempt& each) { return each.passed; });
}

void keep(const Desk& desk) {
    Json attempts = Json::array();
    for (const Attempt& each : desk.attempts) {
        attempts.push_back(json_of(each));
    }
    Json json{{"lab", desk.lab->folder},
              {"language", name_of(desk.language)},
              {"seed", desk.seed},
              {"prediction", desk.predictions.empty() ? "" : desk.predictions.front()},
              {"predictions", desk.predictions},
              {"hints_seen", desk.hints_seen},
              {"attempts", attempts}};
    json[seal_key] = desk.is_signed ? seal_of(json.dump()) : "changed by hand";
    write_file(path_in(desk.folder, memory_file), json.dump(1) + "\n");
}

Desk open_desk(const Lab& lab, const std::string& folder, Language language, std::uint64_t seed) {
    Desk desk{.folder = folder, .lab = &lab_in(lab, language), .language = language, .seed = seed};
    if (fs::exists(desk.file()) || is_desk(folder)) {
        throw config::UsageError(fmt::format("{} already exists and would be lost; give another folder",
                                             fs::exists(desk.file()) ? desk.file() : path_in(folder, memory_file)));
    }
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw config::OutputError(fmt::format("cannot make {}: {}", folder, error.message()));
    }
    write_file(desk.file(), lab_file(lab.folder.data(), file_of(language)));
    if (const char* const page = lab_file(lab.folder.data(), page_of(language)); page != nullptr) {
        write_file(path_in(folder, "README.md"), page);
    }
    for (const char* const name : beside_the_starter) {
        if (const char* const text = lab_file(lab.folder.data(), name); text != nullptr) {
            write_file(path_in(folder, name), text);
        }
    }
    write_case(desk);
    keep(desk);
    return desk;
}

Desk desk_of(const Lab& lab, const std::string& folder) {
    for (const std::string& each :
         folder.empty() ? std::vector<std::string>{std::string(lab.folder), "."} : std::vector<std::string>{folder}) {
        if (is_desk(each)) {
            if (Desk desk = desk_from(each); desk.lab->number == lab.number) {
                return desk;
            }
        }
    }
    throw config::UsageError(fmt::format("lab {} has not been started {}; ndsim lab start {}{}", lab.number,
                                         folder.empty() ? "here" : "in " + folder, lab.number,
                                         folder.empty() ? "" : " " + folder));
}

std::optional<Desk> desk_in(const std::string& folder) {
    return is_desk(folder) ? std::optional(desk_from(folder)) : std::nullopt;
}

std::vector<Desk> desks_in(const std::string& folder) {
    std::vector<Desk> desks;
    if (is_desk(folder)) {
        desks.push_back(desk_from(folder));
    }
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.is_directory(ignored) && is_desk(entry.path().string())) {
            desks.push_back(desk_from(entry.path().string()));
        }
    }
    std::sort(desks.begin(), desks.end(), [](const Desk& a, const Desk& b) {
        return std::pair(a.lab->number, a.folder) < std::pair(b.lab->number, b.folder);
    });
    return desks;
}

}  // namespace sim::labs
