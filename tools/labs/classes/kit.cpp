#include "tools/labs/classes/kit.hpp"

#include "libsim/check.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/config/shell_command.hpp"
#include "libsim/config/text_fields.hpp"
#include "libsim/config/text_file.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/labs/classes/archives.hpp"
#include "tools/labs/classes/kit_files.hpp"
#include "tools/labs/classes/seeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace sim::labs {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::pair<std::string, std::string>>;

// More than all cases of a lab need; each of them is stopped after a minute.
constexpr int seconds_of_grading = 600;

std::string filled(const char* folder, const char* name, const Words& words) {
    const auto files = kit_files();
    const auto file = std::find_if(files.begin(), files.end(), [&](const LabFile& each) {
        return std::strcmp(each.folder, folder) == 0 && std::strcmp(each.name, name) == 0;
    });
    check(file != files.end(), "there is no file {}/{} of a kit", folder, name);
    std::string text = file->text;
    for (const auto& [word, value] : words) {
        const std::string sign = "@" + word + "@";
        for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + value.size())) {
            text.replace(at, sign.size(), value);
        }
    }
    return text;
}

bool is_wheel(const Kit& kit) {
    return kit.install.ends_with(".whl");
}

std::string name_of_install(const Kit& kit) {
    return is_wheel(kit) ? fs::path(kit.install).filename().string() : kit.install;
}

std::string start_of(const Kit& kit, const std::string& student) {
    return fmt::format("ndsim lab start N --python --student {}{}", student,
                       kit.class_name.empty() ? "" : " --class " + config::shell_word(kit.class_name));
}

// Facts about a grading system. `write` fills a folder.
struct SystemFacts {
    const char* files;
    const char* column;
    std::string Student::*name;
    void (*write)(const Kit& kit, const std::string& folder);
};
const SystemFacts& facts_of(System system);

std::string seeds_of(const Kit& kit) {
    return seeds_text(kit.class_name, kit.roster, facts_of(kit.system).name);
}

Words words_of_kit(const Kit& kit) {
    return {{"title", kit.class_name.empty() ? "Labs" : "Labs of " + kit.class_name},
            {"points", kit.points},
            {"scoring", kit.scoring},
            {"install", config::shell_word(name_of_install(kit))},
            {"seconds", std::to_string(seconds_of_grading)},
            {"minutes", std::to_string(seconds_of_grading / 60)}};
}

// The lab's words come first, so that its title takes precedence over the kit's.
Words words_of_lab(const Kit& kit, const Lab& lab, Words more = {}) {
    Words words{
        {"number", std::to_string(lab.number)}, {"title", std::string(lab.title)}, {"folder", std::string(lab.folder)}};
    words.insert(words.end(), more.begin(), more.end());
    const Words common = words_of_kit(kit);
    words.insert(words.end(), common.begin(), common.end());
    return words;
}

void write(const std::string& folder, const ArchivedFile& file) {
    const fs::path path = fs::path(folder) / file.name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) {
        throw config::OutputError(fmt::format("cannot make {}: {}", path.parent_path().string(), error.message()));
    }
    command_line::write_output(path.string(), [&](std::ostream& out) { out << file.text; });
    if (file.is_executable) {
        fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                        fs::perm_options::add);
    }
}

void write_all(const std::string& folder, const std::vector<ArchivedFile>& files) {
    for (const ArchivedFile& each : files) {
        write(folder, each);
    }
}

std::vector<ArchivedFile> with_wheel(const Kit& kit, std::vector<ArchivedFile> files, const std::string& folder = "") {
    if (is_wheel(kit)) {
        files.push_back(
            {folder + name_of_install(kit), config::read_text(kit.install, "a wheel", config::written_by_programs)});
    }
    return files;
}

void write_gradescope(const Kit& kit, const std::string& folder) {
    for (const Lab* const lab : kit.labs) {
        const Words words = words_of_lab(kit, *lab);
        const std::vector<ArchivedFile> files =
            with_wheel(kit, {{"setup.sh", filled("gradescope", "setup.sh", words), true},
                             {"run_autograder", filled("gradescope", "run_autograder", words), true},
                             {"seeds.csv", seeds_of(kit)}});
        write_all(folder + "/" + std::string(lab->folder), files);
        write(folder, {std::string(lab->folder) + ".zip", zip_of(files)});
    }
}

void write_autolab(const Kit& kit, const std::string& folder) {
    std::vector<ArchivedFile> all;
    for (const Lab* const lab : kit.labs) {
        const std::string number = fmt::format("ndsimlab{:02}", lab->number);
        const Words words = words_of_lab(kit, *lab, {{"name", number}, {"module", "N" + number.substr(1)}});
        const std::vector<ArchivedFile> graders{{"autograde/grade.sh", filled("autolab", "grade.sh", words), true},
                                                {"autograde/seeds.csv", seeds_of(kit)}};
        all.push_back({number + "/" + number + ".yml", filled("autolab", "assessment.yml", words)});
        all.push_back({number + "/" + number + ".rb", filled("autolab", "assessment.rb", words)});
        all.push_back({number + "/autograde-Makefile", filled("autolab", "autograde-Makefile", words)});
        all.push_back({number + "/autograde.tar", tar_of(graders)});
    }
    write_all(folder, all);
    write_all(folder, with_wheel(kit, {}));
    write(folder, {"assessments.tar", tar_of(all)});
}

std::string workflow(const Kit& kit) {
    Words words = words_of_kit(kit);
    if (is_wheel(kit)) {
        words.insert(words.begin(), {"install", config::shell_word(".github/ndsim/" + name_of_install(kit))});
    }
    std::string text = filled("github", "classroom.yml", words);
    std::string runners;
    std::string results;
    for (const Lab* const lab : kit.labs) {
        text += filled("github", "step.yml", words_of_lab(kit, *lab));
        runners += fmt::format("{}lab-{}", runners.empty() ? "" : ",", lab->number);
        results += fmt::format("          LAB-{0}_RESULTS: \"${{{{steps.lab-{0}.outputs.result}}}}\"\n", lab->number);
    }
    return text + filled("github", "reporter.yml", {{"results", results}, {"runners", runners}});
}

void write_github(const Kit& kit, const std::string& folder) {
    std::string labs;
    for (const Lab* const lab : kit.labs) {
        labs += fmt::format("| {} | {} | `{}` |\n", lab->number, lab->title, lab->folder);
    }
    labs.pop_back();
    Words words = words_of_kit(kit);
    words.insert(words.end(), {{"labs", labs}, {"start", start_of(kit, "YOUR_GITHUB_ACCOUNT")}});
    const std::vector<ArchivedFile> files = with_wheel(kit,
                                                       {{".github/workflows/classroom.yml", workflow(kit)},
                                                        {".github/ndsim/seeds.csv", seeds_of(kit)},
                                                        {"README.md", filled("github", "start.md", words)}},
                                                       ".github/ndsim/");
    write_all(folder + "/template", files);
}

const SystemFacts& facts_of(System system) {
    static const SystemFacts all[] = {{"gradescope", "email", &Student::email, write_gradescope},
                                      {"autolab", "email", &Student::email, write_autolab},
                                      {"github", "github_username", &Student::github, write_github}};
    return all[static_cast<std::size_t>(system)];
}

void check_folder(const std::string& folder) {
    if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder))) {
        throw config::UsageError(fmt::format("{} already exists and is not empty; give another folder", folder));
    }
}

std::string students_text(const Kit& kit, const std::vector<std::string>& names) {
    std::string text = "student,seed\n";
    for (const std::string& name : names) {
        text += fmt::format("{},{}\n", name, seed_of(kit.class_name, name));
    }
    return text;
}

// The names of the students in the system.
std::vector<std::string> names_of(const Kit& kit) {
    std::vector<std::string> names;
    for (const Student& student : kit.roster) {
        if (const std::string& name = student.*facts_of(kit.system).name; !name.empty()) {
            names.push_back(name);
        }
    }
    return names;
}

}  // namespace

std::string write_kit(const Kit& kit, const std::string& folder) {
    const SystemFacts& facts = facts_of(kit.system);
    check_folder(folder);
    const std::vector<std::string> names = names_of(kit);
    if (names.empty()) {
        throw config::UsageError(
            fmt::format("the roster has no column {}, which this system knows students by", facts.column));
    }
    facts.write(kit, folder);
    Words words = words_of_kit(kit);
    words.insert(words.end(), {{"start", start_of(kit, names.front())}});
    write(folder, {"README.md", filled(facts.files, "README.md", words)});
    write(folder, {"students.csv", students_text(kit, names)});
    std::string text =
        fmt::format("{} lab{} for {} student{} in {}/; its README.md says what goes where.\n", kit.labs.size(),
                    kit.labs.size() == 1 ? "" : "s", names.size(), names.size() == 1 ? "" : "s", folder);
    if (const std::size_t others = kit.roster.size() - names.size(); others > 0) {
        text += fmt::format("{} more in the roster have no {}, and cannot hand in yet.\n", others, facts.column);
    }
    return text;
}

std::vector<const Lab*> labs_of(const std::string& numbers) {
    std::vector<const Lab*> labs;
    for (std::size_t at = 0; at <= numbers.size();) {
        const std::size_t end = std::min(numbers.find(',', at), numbers.size());
        const std::string piece = numbers.substr(at, end - at);
        const std::size_t dash = piece.find('-');
        const auto first = config::whole_of(piece.substr(0, dash));
        const auto last = dash == std::string::npos ? first : config::whole_of(piece.substr(dash + 1));
        if (!first || !last || *first > *last) {
            throw config::UsageError(
                fmt::format("--labs must be numbers such as 1-8 or 2,5,7, not {}", config::shortened(numbers)));
        }
        for (std::int64_t number = *first; number <= *last; ++number) {
            const Lab* const lab = &lab_named(std::to_string(number));
            if (std::find(labs.begin(), labs.end(), lab) == labs.end()) {
                labs.push_back(lab);
            }
        }
        at = end + 1;
    }
    return labs;
}

}  // namespace sim::labs
