// `ndsim lab list|start|check|hint|show|report|key|kit|grade` offers a course whose labs grade themselves.
#include "libsim/config/errors.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/nearest.hpp"
#include "libsim/report/page/page.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/help_topics.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/program_facts.hpp"
#include "tools/command_line/run_options.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/command_line/terminal.hpp"
#include "tools/labs/desk/check_desk.hpp"
#include "tools/labs/desk/play.hpp"
#include "tools/labs/desk/toolbox.hpp"
#include "tools/labs/divergence.hpp"
#include "tools/labs/show/course_text.hpp"
#include "tools/labs/show/key.hpp"
#include "tools/labs/show/verdict_text.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/lab/class.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

namespace sim::tools {

using namespace command_line;
using namespace labs;
using config::OptionRow;

namespace {

// The options of all actions; each action uses some of them.
struct LabOptions {
    std::string lab;
    std::string folder;
    bool python = false;
    bool torch = false;
    int seed = 1;
    std::string predict;
    std::string host = "process";
    std::string svg;     // empty: no picture
    std::string page;    // empty: none
    std::string source;  // ndsim's source tree
    ClassOptions of_class;
    std::vector<faults::Injection> faults;
    bool json = false;
    bool ascii = false;
    bool brief = false;
};

OptionRow lab_row(LabOptions& options) {
    return config::as_argument({"N", "", "the lab, by its number or name", config::text(options.lab)});
}
OptionRow folder_row(LabOptions& options, const char* help) {
    return config::as_argument({"DIR", "", help, config::folder(options.folder)}, config::Role::optional_argument);
}
OptionRow seed_row(LabOptions& options) {
    return {"seed", "S", "seed of the lab's numbers (1)", config::whole(options.seed, 1, 1'000'000'000)};
}
OptionRow host_row(LabOptions& options) {
    return {"host", "NAME", "host of a C++ program's ranks: process or fiber (process)",
            config::choice(options.host, {"process", "fiber"})};
}
OptionRow json_row(LabOptions& options) {
    return {"json", "", "print one JSON object on one line, which Gradescope reads", config::flag(options.json)};
}
OptionRow ascii_row(LabOptions& options) {
    return {"ascii", "", "draw in plain ASCII", config::flag(options.ascii)};
}

ranks::Host host_of(const LabOptions& options, const Desk& desk) {
    if (options.host == "fiber" && desk.language != Language::cpp) {
        throw config::UsageError(
            fmt::format("--host fiber: the ranks of {} are processes; only C++ has fibers", file_of(desk.language)));
    }
    return options.host == "fiber" ? ranks::Host::fiber : ranks::Host::process;
}

ShowStyle style_of(const LabOptions& options) {
    const Terminal terminal = terminal_at(STDOUT_FILENO);
    return {.width = terminal.columns,
            .ascii = terminal.ascii || options.ascii,
            .colour = terminal.colour,
            .brief = options.brief};
}

const char* const where_desks_are = "the lab's folder (NN-name in this folder, or this folder)";

int list(LabOptions& options) {
    print(options.json ? course_json() : course_text());
    tell(options.json ? "" : missing_languages());
    return done;
}

int start(LabOptions& options) {
    if (options.python && options.torch) {
        throw config::UsageError("--python and --torch both choose a language; give one of them");
    }
    const Lab& lab = lab_named(options.lab);
    take_seed_of_student(options.of_class, options.seed);
    const Language usual = read_toolbox().compiler.empty() ? Language::python : Language::cpp;
    const Language language = options.python ? Language::python : options.torch ? Language::torch : usual;
    const std::string folder = options.folder.empty() ? std::string(lab.folder) : options.folder;
    print(text_of_start(open_desk(lab, folder, language, static_cast<std::uint64_t>(options.seed))));
    return done;
}

void print_with_pictures(const std::string& text, const ShowStyle& style) {
    style.colour ? print_drawn(text) : print(text);
}

int check(LabOptions& options) {
    Desk desk = desk_of(lab_named(options.lab), options.folder);
    if (!options.predict.empty()) {
        read_prediction(desk.lab->prediction.quantity, options.predict);
        desk.predictions.push_back(options.predict);
        keep(desk);
    }
    const Checked checked = check_desk(desk, host_of(options, desk));
    if (!checked.verdict) {
        print(options.json ? json_of_trouble(desk, checked.trouble, standing_of(desk))
                           : text_of_trouble(desk, checked.trouble));
        return failed;
    }
    remember(desk, *checked.verdict);
    keep(desk);
    if (options.json) {
        print(json_of(*checked.verdict, desk, standing_of(desk)));
    } else {
        print_with_pictures(text_of(*checked.verdict, desk, style_of(options)), style_of(options));
    }
    return checked.verdict->passed() ? done : failed;
}

int hint(LabOptions& options) {
    Desk desk = desk_of(lab_named(options.lab), options.folder);
    print(next_hint(desk));
    keep(desk);
    return done;
}

// A page with the learner's timeline above the reference, on one time axis.
void write_page_of_both(const std::string& file, const lab::Record& theirs, const lab::Record& reference) {
    report::Timeline yours = theirs.timeline;
    report::Timeline other = reference.timeline;
    yours.title = "Yours";
    other.title = "The reference";
    const std::optional<Divergence> first = first_divergence(theirs, reference);
    yours.facts.push_back({"first difference", first ? first->text : "none"});
    const std::array<const report::Timeline*, 2> both{&yours, &other};
    write_output(file, [&](std::ostream& out) { report::write_page(out, both); });
}

int show(LabOptions& options) {
    const Desk desk = desk_of(lab_named(options.lab), options.folder);
    Case played = desk.lab->cases(desk.seed).front();
    config::check_faults(options.faults, played.ranks, launch_options(played, ranks::Host::fiber).cluster.network);
    played.faults = options.faults;
    const Played theirs = play(desk, {played}, host_of(options, desk));
    if (!theirs.trouble.empty()) {
        print(text_of_trouble(desk, theirs.trouble));
        return failed;
    }
    const lab::Record& found = theirs.plays.records.front();
    const ShowStyle style = style_of(options);
    print(found.ok() ? "" : explain_fault(found, desk) + "\n");
    const lab::Record reference =
        desk.lab->is_script() ? theirs.plays.references.front() : play_here(played, desk.lab->solution);
    print_with_pictures(draw_both(found, reference, style.width, style.ascii, style.colour), style);
    if (!options.page.empty()) {
        write_page_of_both(options.page, found, reference);
    }
    return done;
}

int report(LabOptions& options) {
    const std::vector<Desk> desks = desks_in(options.folder.empty() ? "." : options.folder);
    print(options.json ? report_json(desks) : report_text(desks));
    return done;
}

int key(LabOptions& options) {
    const Lab& lab = lab_in(lab_named(options.lab), options.torch ? Language::torch : Language::cpp);
    check_source(lab, options.source);
    const auto seed = static_cast<std::uint64_t>(options.seed);
    if (!options.svg.empty()) {
        write_output(options.svg, [&](std::ostream& out) { out << key_picture(lab, seed); });
    }
    print(key_text(lab, seed));
    return done;
}

struct Action {
    const char* name;
    const char* summary;
    std::vector<const char*> examples;
    std::vector<OptionRow> (*rows)(LabOptions& options);
    int (*run)(LabOptions& options);
};

std::vector<OptionRow> rows_of_start(LabOptions& options) {
    return {
        lab_row(options),
        folder_row(options, "the folder to make (NN-name in this folder)"),
        {"python", "", "write it in Python (the default if ndsim was installed by pip)", config::flag(options.python)},
        {"torch", "", "write it as a PyTorch script, if the lab has one", config::flag(options.torch)},
        seed_row(options),
        {"student", "NAME", "use the class's seed for this student: their email or account",
         config::text(options.of_class.student)},
        class_row(options.of_class)};
}
std::vector<OptionRow> rows_of_check(LabOptions& options) {
    return {lab_row(options),
            folder_row(options, where_desks_are),
            {"predict", "X", "your prediction, with its unit: 16us, 1.5MB, 37%; only the first one counts",
             config::text(options.predict)},
            host_row(options),
            {"brief", "", "print the diagnosis, and a line for each wrong check", config::flag(options.brief)},
            ascii_row(options),
            json_row(options)};
}

const std::array<Action, 9> actions{{
    {"list",
     "list all labs and what each asks",
     {"ndsim lab list"},
     [](LabOptions& options) { return std::vector{json_row(options)}; },
     list},
    {"start",
     "make a folder with the lab's page and a file to write in",
     {"ndsim lab start 2", "ndsim lab start 2 my-ring --python --seed 7"},
     rows_of_start,
     start},
    {"check",
     "run the file as real processes, grade it, and say what is wrong",
     {"ndsim lab check 2 --predict 16us", "ndsim lab check 2 --json"},
     rows_of_check,
     check},
    {"hint",
     "print one more hint",
     {"ndsim lab hint 2"},
     [](LabOptions& options) {
         return std::vector{lab_row(options), folder_row(options, where_desks_are)};
     },
     hint},
    {"show",
     "draw your timeline above the reference and mark the first difference; --fault hits both",
     {"ndsim lab show 2", "ndsim lab show 1 --fault 'slow rank 1 x2'", "ndsim lab show 2 --report ring.html"},
     [](LabOptions& options) {
         return std::vector{lab_row(options),
                            folder_row(options, where_desks_are),
                            host_row(options),
                            config::fault_row(options.faults),
                            ascii_row(options),
                            config::writing({"report", "FILE.html", "write a page for the browser with both timelines",
                                             config::file(options.page)})};
     },
     show},
    {"report",
     "list which labs you have tried, predicted and passed",
     {"ndsim lab report", "ndsim lab report submissions --json"},
     [](LabOptions& options) {
         return std::vector{folder_row(options, "a folder with labs' folders (this one)"), json_row(options)};
     },
     report},
    {"key",
     "for instructors: print a right program's results for a seed, and draw its timeline",
     {"ndsim lab key 2 --source . --seed 7", "ndsim lab key 2 --source . --svg ring.svg"},
     [](LabOptions& options) {
         return std::vector{lab_row(options),
                            OptionRow{"source", "DIR", "ndsim's source tree, which has the solutions (this folder)",
                                      config::folder(options.source)},
                            OptionRow{"torch", "", "key of the lab as a PyTorch script", config::flag(options.torch)},
                            seed_row(options),
                            config::writing({"svg", "FILE.svg", "draw the timeline of the right program, for slides",
                                             config::file(options.svg)})};
     },
     key},
    {"kit",
     "for instructors: write a kit with which Gradescope, Autolab or GitHub Classroom grades a class's labs",
     {"ndsim lab kit --gradescope kit --labs 1-8 --roster roster.csv"},
     [](LabOptions& options) { return rows_of_kit(options.of_class); },
     [](LabOptions& options) { return write_kit(options.of_class); }},
    {"grade",
     "for graders: grade a program that a student has submitted, with the student's seed",
     {"ndsim lab grade 2 submission --seed 1234 --json",
      "ndsim lab grade 2 submission --student ada@uni.edu --seeds seeds.csv --points 10"},
     [](LabOptions& options) {
         std::vector<OptionRow> rows{lab_row(options)};
         const std::vector<OptionRow> more = rows_of_grade(options.of_class);
         rows.insert(rows.end(), more.begin(), more.end());
         rows.push_back(seed_row(options));
         rows.push_back(json_row(options));
         return rows;
     },
     [](LabOptions& options) {
         return grade_handin(options.of_class, options.lab, options.seed, options.json, style_of(options));
     }},
}};

ProgramFacts lab_facts() {
    ProgramFacts facts{.name = "ndsim lab",
                       .summary = lab_command.summary,
                       .options = {help_option()},
                       .examples = lab_command.examples};
    for (const Action& action : actions) {
        facts.commands.push_back({action.name, action.summary});
    }
    return facts;
}

int run_lab(int argc, const char* const* argv) {
    const std::string name = argc > 1 ? argv[1] : "--help";
    if (name == "--help" || name == "-h") {
        print(help_of_commands(lab_facts(), argc, argv));
        return done;
    }
    const auto action =
        std::find_if(actions.begin(), actions.end(), [&](const Action& each) { return name == each.name; });
    if (action == actions.end()) {
        std::vector<std::string> known;
        for (const Action& each : actions) {
            known.emplace_back(each.name);
        }
        const std::string near = did_you_mean(name, known);
        throw config::UsageError(
            fmt::format("unknown action \"{}\"{}", config::shortened(name), near.empty() ? "; see --help" : near));
    }
    LabOptions options;
    const Executable executable{.name = "ndsim lab " + name,
                                .summary = action->summary,
                                .examples = {action->examples.begin(), action->examples.end()}};
    if (!take_options(executable, action->rows(options), argc - 1, argv + 1)) {
        return done;
    }
    return action->run(options);
}

}  // namespace

const Command lab_command{
    .name = "lab",
    .headline = "do labs that grade themselves: write a rank program, and learn what it does and why",
    .summary =
        "Offers labs that grade themselves: you write the rank program, ndsim runs it and tells whether it is right.",
    .examples = {"ndsim lab start 0                   # creates the first lab's folder: a page, and a file with a gap",
                 "ndsim lab check 0 --predict 32s     # runs it, grades it, and compares your prediction"},
    .schemas = {lab_check_schema, lab_list_schema, lab_report_schema},
    .run = run_lab};

}  // namespace sim::tools
