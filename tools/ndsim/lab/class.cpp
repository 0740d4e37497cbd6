#include "tools/ndsim/lab/class.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_fields.hpp"
#include "tools/command_line/child_process.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/labs/classes/handin.hpp"
#include "tools/labs/classes/kit.hpp"
#include "tools/labs/classes/seeds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace sim::tools {

using namespace command_line;
using namespace labs;
using config::OptionRow;
using config::UsageError;

namespace {

constexpr const char* usual_points = "10";

// Refuses text with characters that would need quoting: it is copied verbatim into files of other systems.
const std::string& plain(const std::string& option, const std::string& text) {
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view(" ._-=/+[]:@~<>,").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (!std::all_of(text.begin(), text.end(), is_plain)) {
        throw UsageError(fmt::format("{} must consist of letters, digits, blanks and ._-=/+[]:@~<>, not {}", option,
                                     config::shortened(text)));
    }
    return text;
}

std::string points_of(const std::string& typed) {
    const std::string text = typed.empty() ? usual_points : typed;
    const auto points = config::number_of(text);
    if (!points || *points <= 0) {
        throw UsageError(fmt::format("--points must be a number above 0, not {}", config::shortened(text)));
    }
    return text;
}

// Reads "data=4,time=2".
Weights weights_of(const std::string& typed) {
    Weights weights;
    for (std::size_t at = 0; at < typed.size();) {
        const std::size_t end = std::min(typed.find(',', at), typed.size());
        const std::string piece = typed.substr(at, end - at);
        const std::size_t equals = std::min(piece.find('='), piece.size());
        const auto aspect = std::find_if(all_aspects.begin(), all_aspects.end(),
                                         [&](Aspect each) { return piece.substr(0, equals) == name_of(each); });
        const auto weight = config::number_of(equals < piece.size() ? piece.substr(equals + 1) : "");
        if (aspect == all_aspects.end() || !weight || *weight < 0) {
            throw UsageError(
                fmt::format("--weights must be points of checks such as data=4,time=2, of data, time, "
                            "bytes, memory and order, not {}",
                            config::shortened(typed)));
        }
        weights.of.at(static_cast<std::size_t>(*aspect)) = *weight;
        at = end + 1;
    }
    return weights;
}

void set_scoring(const ClassOptions& options, Standing& standing) {
    standing.points = options.points.empty() ? 0 : *config::number_of(points_of(options.points));
    standing.weights = weights_of(options.weights);
    standing.pass_fail = options.pass_fail;
}

// The options of `ndsim lab grade` that a kit's scripts give.
std::string scoring_words(const ClassOptions& options) {
    weights_of(options.weights);
    return "--points " + points_of(options.points) + (options.weights.empty() ? "" : " --weights " + options.weights) +
           (options.pass_fail ? " --pass-fail" : "");
}

System system_of(const ClassOptions& options) {
    if (options.gradescope + options.autolab + options.github_classroom != 1) {
        throw UsageError("a kit is for one system: give one of --gradescope, --autolab and --github-classroom");
    }
    return options.gradescope ? System::gradescope : options.autolab ? System::autolab : System::github_classroom;
}

// Returns "ndsim==0.1.0" for the version line "ndsim 0.1.0\n".
std::string requirement_of_this() {
    const std::string line = version_line();
    const std::size_t blank = line.find(' ');
    return line.substr(0, blank) + "==" + line.substr(blank + 1, line.find('\n') - blank - 1);
}

std::string install_of(const std::string& typed) {
    const std::string& text = plain("--install", typed);
    if (text.ends_with(".whl") && !std::filesystem::is_regular_file(text)) {
        throw UsageError(fmt::format("--install: there is no file {}", text));
    }
    return text.empty() ? requirement_of_this() : text;
}

std::vector<std::string> names_of(const ClassOptions& options) {
    return !options.metadata.empty()     ? names_in_metadata(options.metadata)
           : !options.repository.empty() ? names_in_repository(options.repository)
                                         : std::vector{options.student};
}

void check_grade(const ClassOptions& options, int seed) {
    const int ways = !options.student.empty() + !options.metadata.empty() + !options.repository.empty();
    if (ways > 1) {
        throw UsageError("--student, --metadata and --repository all name the student; give one of them");
    }
    if (ways == 1 && options.seeds.empty()) {
        throw UsageError("--seeds is missing: the seeds of the class, which ndsim lab kit writes");
    }
    if (ways == 0 && !options.seeds.empty()) {
        throw UsageError("--seeds needs a student: give one of --student, --metadata and --repository");
    }
    if (ways == 1 && seed != 1) {
        throw UsageError("--seed and a student both set the seed; give one of them");
    }
    if (!std::filesystem::exists(options.submission)) {
        throw UsageError(fmt::format("there is no {}", options.submission));
    }
}

// A program is not graded if its student is not in the class; both the grader and the student must see that.
Graded graded_stranger(const Lab& lab, const std::vector<std::string>& names) {
    Graded graded{.desk = {.lab = &lab, .language = Language::python}, .checked = {}, .standing = {}};
    graded.standing.desk = DeskState::is_not_there;
    graded.checked.trouble =
        fmt::format("{} is not in the roster of this class. Instructor: add the student, and write the kit anew.",
                    fmt::join(names, " or "));
    return graded;
}

Graded graded_of(const ClassOptions& options, const Lab& lab, int seed, const std::string& folder) {
    if (options.seeds.empty()) {
        return labs::grade_handin(lab, options.submission, static_cast<std::uint64_t>(seed), folder);
    }
    const std::vector<std::string> names = names_of(options);
    const std::uint64_t own = Seeds(options.seeds).of(names);
    return own == 0 ? graded_stranger(lab, names) : labs::grade_handin(lab, options.submission, own, folder);
}

std::string text_of(const Graded& graded, const ShowStyle& style) {
    std::string text = graded.checked.verdict ? labs::text_of(*graded.checked.verdict, graded.desk, style)
                                              : fmt::format("Lab {}: {}. {}\n", graded.desk.lab->number,
                                                            graded.desk.lab->title, graded.checked.trouble);
    const std::string sentence = desk_sentence(graded.standing.desk);
    return sentence.empty() ? text : text + sentence + "\n";
}

}  // namespace

namespace {

std::vector<OptionRow> rows_of_scoring(ClassOptions& options, const char* points) {
    return {
        {"points", "X", points, config::text(options.points)},
        {"weights", "LIST", "points of a check by what it checks: data=4,time=2 (1 each)",
         config::text(options.weights)},
        {"pass-fail", "", "all points for a program that passes, none for another", config::flag(options.pass_fail)}};
}

std::vector<OptionRow> with(std::vector<OptionRow> rows, const std::vector<OptionRow>& more) {
    rows.insert(rows.end(), more.begin(), more.end());
    return rows;
}

}  // namespace

OptionRow class_row(ClassOptions& options) {
    return {"class", "NAME", "name of the class, such as its term; each class has seeds of its own (none)",
            config::text(options.class_name)};
}

std::vector<OptionRow> rows_of_kit(ClassOptions& options) {
    std::vector<OptionRow> rows{
        config::as_argument({"DIR", "", "the folder to make", config::folder(options.folder)}),
        {"gradescope", "", "for Gradescope: setup.sh and run_autograder of each lab, as a .zip",
         config::flag(options.gradescope)},
        {"autolab", "", "for Autolab: Makefile and autograde.tar of each lab, as assessments to import",
         config::flag(options.autolab)},
        {"github-classroom", "", "for GitHub Classroom: a template repository with its workflow",
         config::flag(options.github_classroom)},
        {"labs", "LIST", "the labs, by number: 1-8, or 2,5,7", config::text(options.labs)},
        {"roster", "FILE.csv", "students of the class; the first line names the columns: email, SID, github_username",
         config::file(options.roster)},
        class_row(options),
        {"install", "WHAT",
         "package that pip installs in the grader: a requirement, or a FILE.whl to include (this version of ndsim)",
         config::text(options.install)}};
    return with(std::move(rows), rows_of_scoring(options, "points for a lab (10)"));
}

std::vector<OptionRow> rows_of_grade(ClassOptions& options) {
    std::vector<OptionRow> rows{
        config::as_argument({"SUBMISSION", "", "the program, its folder, or a folder with the lab's folder in it",
                             config::file(options.submission)}),
        {"student", "NAME", "student who submitted it: email, SID or account", config::text(options.student)},
        {"metadata", "FILE", "the same, from Gradescope's submission_metadata.json", config::file(options.metadata)},
        {"repository", "NAME", "the same, from the name of GitHub Classroom's repository",
         config::text(options.repository)},
        {"seeds", "FILE", "the seeds of the class, from a kit", config::file(options.seeds)},
        {"autolab", "", "end the output with the line of scores that Autolab reads", config::flag(options.autolab)}};
    return with(std::move(rows), rows_of_scoring(options, "points for a program that passes (one for each check)"));
}

void take_seed_of_student(const ClassOptions& options, int& seed) {
    if (options.student.empty()) {
        if (!options.class_name.empty()) {
            throw UsageError("--class needs --student: the seed follows from both");
        }
        return;
    }
    if (seed != 1) {
        throw UsageError("--seed and --student both set the seed; give one of them");
    }
    seed = static_cast<int>(seed_of(options.class_name, options.student));
}

int write_kit(const ClassOptions& options) {
    const System system = system_of(options);
    if (options.labs.empty() || options.roster.empty()) {
        throw UsageError(options.labs.empty() ? "--labs is missing: the labs, such as 1-8"
                                              : "--roster is missing: who is in the class, as CSV");
    }
    print(labs::write_kit({.system = system,
                           .labs = labs_of(options.labs),
                           .roster = read_roster(options.roster),
                           .class_name = plain("--class", options.class_name),
                           .points = points_of(options.points),
                           .scoring = scoring_words(options),
                           .install = install_of(options.install)},
                          options.folder));
    return done;
}

int grade_handin(const ClassOptions& options, const std::string& lab, int seed, bool json, const ShowStyle& style) {
    check_grade(options, seed);
    const PassingFolder passing;
    Graded graded = graded_of(options, lab_named(lab), seed, passing.file("desk"));
    set_scoring(options, graded.standing);
    const Verdict* const verdict = graded.checked.verdict ? &*graded.checked.verdict : nullptr;
    if (json) {
        print(verdict != nullptr ? json_of(*verdict, graded.desk, graded.standing)
                                 : json_of_trouble(graded.desk, graded.checked.trouble, graded.standing));
    } else {
        print(text_of(graded, style));
    }
    if (options.autolab) {
        print(autolab_line(verdict, graded.standing));
    }
    return verdict != nullptr && verdict->passed() ? done : failed;
}

}  // namespace sim::tools
