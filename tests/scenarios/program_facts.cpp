// A program's options as data, and the manual page and shell scripts generated from them.
#include "tools/command_line/program_facts.hpp"

#include "tools/command_line/command_line.hpp"
#include "tools/command_line/help_topics.hpp"
#include "tools/command_line/shell_completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::config;
using namespace sim::command_line;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct ThingOptions {
    std::string name;
    std::string kind;
    std::string out;
    std::string folder;
    bool fast = false;
    bool careful = false;
    int count = 0;
};

std::vector<OptionRow> thing_rows(ThingOptions& options) {
    return {as_argument({"NAME", "", "which", name_or_file(options.name, {"one", "two"})}),
            {"kind", "NAME", "round or flat (flat)", choice(options.kind, {"round", "flat"})},
            {.name = "out", .takes = "FILE", .help = "where to", .kind = file(options.out), .also = {"o"}},
            {"into", "FOLDER", "the same", folder(options.folder)},
            {"fast", "", "don't wait", flag(options.fast)},
            {"careful", "on|off", "look twice", on_off(options.careful)},
            {"count", "N", "how many", whole(options.count, 1, 9)}};
}

ProgramFacts thing_facts() {
    ThingOptions options;
    return facts_of({.name = "make thing",
                     .summary = "Makes a thing. A \\ and a - are shown.",
                     .examples = {"make thing one   # the first"}},
                    thing_rows(options));
}

std::vector<std::string> names_of(const ProgramFacts& facts) {
    std::vector<std::string> names;
    for (const OptionFacts& option : facts.options) {
        names.push_back(option.name);
    }
    return names;
}

TEST(ProgramFacts, HoldTheRowsInTheirOrderAndTheOptionsOfAllPrograms) {
    const ProgramFacts facts = thing_facts();
    EXPECT_THAT(names_of(facts),
                ElementsAre("help", "version", "NAME", "kind", "out", "into", "fast", "careful", "count", "config"));
    EXPECT_EQ(facts.usage(), "make thing [OPTIONS] NAME");
}

TEST(ProgramFacts, KnowTheValuesOfARow) {
    const ProgramFacts facts = thing_facts();
    EXPECT_THAT(facts.options[2].known.names, ElementsAre("one", "two"));
    EXPECT_EQ(facts.options[2].known.path, Known::Path::file);
    EXPECT_THAT(facts.options[3].known.names, ElementsAre("round", "flat"));
    EXPECT_EQ(facts.options[3].known.path, Known::Path::none);
    EXPECT_EQ(facts.options[4].known.path, Known::Path::file);
    EXPECT_EQ(facts.options[5].known.path, Known::Path::folder);
    EXPECT_THAT(facts.options[7].known.names, ElementsAre("on", "off"));
    EXPECT_THAT(facts.options[8].known.names, IsEmpty());
}

TEST(ProgramFacts, AreTheSameAfterJson) {
    const std::string json = json_of(thing_facts());
    EXPECT_EQ(json_of(facts_of_json(json)), json);
    EXPECT_EQ(facts_of_json(json).options[2].role, Role::argument);
    EXPECT_EQ(facts_of_json(json).options[5].known.path, Known::Path::folder);
}

TEST(ManPage, HasASectionForEachPartOfTheFacts) {
    const std::string page = man_page(thing_facts(), "ndsim 1.2.3\n");
    EXPECT_THAT(page, HasSubstr(".TH \"MAKE\\-THING\" 1 \"\" \"ndsim 1.2.3 \" \"ndsim\"\n"));
    EXPECT_THAT(page, HasSubstr(".SH NAME\nmake\\-thing \\- makes a thing\n"));
    EXPECT_THAT(page, HasSubstr(".SH SYNOPSIS\n\\fBmake thing\\fR [OPTIONS] NAME\n"));
    EXPECT_THAT(page, HasSubstr(".SH ARGUMENTS\n.TP\n\\fINAME\\fR\nwhich\n.SH OPTIONS\n"));
    EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-o\\fR, \\fB\\-\\-out\\fR \\fIFILE\\fR\nwhere to\n"));
    EXPECT_THAT(page, HasSubstr(".SH SEE ALSO\n\\fBmake\\fR(1)\n"));
}

TEST(ManPage, ShowsWhatRoffWouldRead) {
    const std::string page = man_page(thing_facts(), "ndsim 1.2.3\n");
    EXPECT_THAT(page, HasSubstr("Makes a thing. A \\e and a \\- are shown.\n"));
    ProgramFacts facts = thing_facts();
    facts.summary = ".TP of roff";
    EXPECT_THAT(man_page(facts, ""), HasSubstr(".SH DESCRIPTION\n\\&.TP of roff\n"));
}

TEST(ManPage, OfAProgramWithCommandsNamesTheirPages) {
    const ProgramFacts facts{.name = "make", .summary = "Makes.", .commands = {{"thing", "one of them"}}};
    EXPECT_EQ(facts.usage(), "make COMMAND [OPTIONS] …");
    EXPECT_THAT(man_page(facts, ""), HasSubstr(".SH COMMANDS\n.TP\n\\fBthing\\fR\none of them\n"));
    EXPECT_THAT(man_page(facts, ""), HasSubstr(".SH SEE ALSO\n\\fBmake\\-thing\\fR(1)\n"));
}

TEST(ShellCompletion, KnowsTheShells) {
    std::vector<std::string> names;
    for (const Shell& shell : shells()) {
        names.emplace_back(shell.name);
    }
    EXPECT_THAT(names, ElementsAre("bash", "zsh", "fish"));
}

TEST(ShellCompletion, QuotesWhatAShellWouldRead) {
    const std::vector<ProgramFacts> programs{{.name = "make", .summary = "", .commands = {{"thing", "it's"}}},
                                             thing_facts()};
    EXPECT_THAT(shells()[0].script(programs), HasSubstr("'make thing --kind') values=('round' 'flat') ;;\n"));
    EXPECT_THAT(shells()[0].script(programs), HasSubstr("'make thing 1') values=('one' 'two') paths=1 ;;\n"));
    EXPECT_THAT(shells()[1].script(programs), HasSubstr("commands=('thing:it'\\''s')"));
    EXPECT_THAT(shells()[2].script(programs), HasSubstr("complete -c make -n '__ndsim_end' -a thing -d 'it\\'s'\n"));
    EXPECT_THAT(shells()[2].script(programs), HasSubstr("complete -c make -n '__ndsim_at thing' -l fast -d 'don\\'t"));
}

}  // namespace
