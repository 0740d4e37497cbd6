// `ndsim doctor` on fictitious computers.
#include "tools/ndsim/doctor/checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::tools;
using testing::HasSubstr;
using testing::Not;

DoctorFacts good_computer() {
    return {.cores = 8,
            .memory_bytes = 16'000'000'000,
            .most_processes = 30'000,
            .processes = 100,
            .most_files = 1'024,
            .hosts = {{.name = "process", .works = true}, {.name = "fiber", .works = true}},
            .temporary_folder = "/tmp",
            .temporary_folder_writable = true,
            .utf8 = true,
            .colour = true,
            .python = {.version = "3.11.2",
                       .executable = "/usr/bin/python3",
                       .module_folder = "/opt/ndsim",
                       .numpy = "1.24.2",
                       .torch = "2.13.0"},
            .chakra = true,
            .mpi = true,
            .compiler = {"c++ 12.2.0"},
            .cmake = {"cmake version 3.25.1"}};
}

Check check_of(const DoctorFacts& facts, const std::string& name) {
    for (const Check& check : checks_of(facts)) {
        if (check.name == name) {
            return check;
        }
    }
    ADD_FAILURE() << "no check is called " << name;
    return {};
}

TEST(Doctor, FindsNothingToRepairWhereAllIsThere) {
    for (const Check& check : checks_of(good_computer())) {
        EXPECT_EQ(check.health, Health::works) << check.name;
        EXPECT_EQ(check.repair, "") << check.name;
        EXPECT_NE(check.what, "") << check.name;
    }
}

TEST(Doctor, HasALineThatRepairsWhateverDoesNotWork) {
    const DoctorFacts nothing{
        .hosts = {{.name = "process", .works = false, .complaint = "no memory"}, {.name = "fiber", .works = true}},
        .missing_scenarios = {"4d_hybrid"}};
    for (const Check& check : checks_of(nothing)) {
        EXPECT_EQ(check.health == Health::works, check.repair.empty()) << check.name;
    }
}

TEST(Doctor, FailsWhereRanksCannotBeLaunched) {
    DoctorFacts facts = good_computer();
    facts.hosts[0] = {.name = "process", .works = false, .complaint = "cannot start rank 1 of 2"};
    const Check check = check_of(facts, "ranks as processes");
    EXPECT_EQ(check.health, Health::fails);
    EXPECT_EQ(check.what, "cannot start rank 1 of 2");
    EXPECT_THAT(check.repair, HasSubstr("ulimit -u"));
    EXPECT_EQ(check_of(facts, "ranks as fibers").health, Health::works);
}

TEST(Doctor, CountsAsManyRanksAsLimitsAndMemoryAllow) {
    DoctorFacts facts = good_computer();
    EXPECT_EQ(most_process_ranks(facts), 4'096);  // from the table of hosts
    facts.most_processes = 1'100;
    EXPECT_EQ(most_process_ranks(facts), 1'000);  // 100 are running already
    facts.memory_bytes = 500'000'000;
    EXPECT_EQ(most_process_ranks(facts), 500);  // of 1 MB each
    facts.most_processes = 50;
    EXPECT_EQ(most_process_ranks(facts), 0);
    facts.most_processes.reset();
    EXPECT_EQ(most_process_ranks(facts), 500);
}

TEST(Doctor, WarnsOfLimitsThatAreLow) {
    DoctorFacts facts = good_computer();
    facts.most_processes = 163;  // leaves 63
    facts.most_files = 63;
    facts.memory_bytes = 999'999'999;
    EXPECT_EQ(check_of(facts, "process limit").health, Health::limited);
    EXPECT_EQ(check_of(facts, "process limit").what, "163, of which 100 are in use");
    EXPECT_EQ(check_of(facts, "open files").repair, "ulimit -n 1024");
    EXPECT_EQ(check_of(facts, "memory").health, Health::limited);
    EXPECT_EQ(check_of(facts, "ranks that fit").health, Health::limited);
    facts.most_processes = 164;
    facts.most_files = 64;
    facts.memory_bytes = 1'000'000'000;
    for (const char* const name : {"process limit", "open files", "memory", "ranks that fit"}) {
        EXPECT_EQ(check_of(facts, name).health, Health::works) << name;
    }
}

TEST(Doctor, SaysWhereThePythonPackageIs) {
    DoctorFacts facts = good_computer();
    EXPECT_EQ(check_of(facts, "Python package ndsim").what, "in /opt/ndsim, Python 3.11.2");
    facts.python.complaint = "undefined symbol";
    EXPECT_EQ(check_of(facts, "Python package ndsim").what, "/opt/ndsim cannot be imported: undefined symbol");
    facts.python.module_folder = "";
    facts.python.folder_beside = "/home/me/build/python";
    EXPECT_EQ(check_of(facts, "Python package ndsim").repair, "export PYTHONPATH=/home/me/build/python");
    facts.python.folder_beside = "";
    EXPECT_EQ(check_of(facts, "Python package ndsim").what, "was not built");
    facts.python.version = "";
    EXPECT_EQ(check_of(facts, "Python package ndsim").what, "there is no python3");
}

TEST(Doctor, AdvisesNobodyWhoInstalledByPipToBuild) {
    DoctorFacts facts{.hosts = {{.name = "process", .works = true}, {.name = "fiber", .works = true}},
                      .missing_scenarios = {"4d_hybrid"},
                      .wheel = true};
    for (const char* const version : {"", "3.11.2"}) {
        facts.python.version = version;
        for (const Check& check : checks_of(facts)) {
            EXPECT_EQ(check.health == Health::works, check.repair.empty()) << check.name;
            EXPECT_THAT(check.repair, Not(HasSubstr("build again"))) << check.name;
            EXPECT_THAT(check.repair, Not(HasSubstr("tools/"))) << check.name;
            EXPECT_NE(check.name, "C++ compiler");
        }
    }
    EXPECT_THAT(check_of(facts, "scenarios").repair, HasSubstr("pip install --force-reinstall"));
    EXPECT_EQ(check_of(facts, "Python package ndsim").what, "Python 3.11.2 does not find it");
    EXPECT_EQ(check_of(facts, "MPI").repair, "build ndsim from source, as its README says");
}

TEST(Doctor, InstallsForThePythonThatIsAsked) {
    DoctorFacts facts = good_computer();
    facts.python.numpy = "";
    EXPECT_EQ(check_of(facts, "NumPy").repair, "sudo apt install python3-numpy");
    facts.python.executable = "/usr/local/bin/python3";
    EXPECT_EQ(check_of(facts, "NumPy").repair, "/usr/local/bin/python3 -m pip install numpy");
    EXPECT_EQ(check_of(facts, "NumPy").health, Health::missing);
}

TEST(Doctor, WarnsOfATerminalWithoutUtf8AndOfAFolderThatCannotBeWritten) {
    DoctorFacts facts = good_computer();
    EXPECT_EQ(check_of(facts, "terminal").what, "UTF-8, colours");
    facts.utf8 = false;
    facts.colour = false;
    EXPECT_THAT(check_of(facts, "terminal").what, HasSubstr("not UTF-8, no colours"));
    EXPECT_THAT(check_of(facts, "terminal").repair, HasSubstr("--ascii"));
    facts.temporary_folder_writable = false;
    EXPECT_EQ(check_of(facts, "temporary files").repair, "export TMPDIR=$HOME");
}

TEST(Doctor, NamesScenariosThatAreNotThere) {
    DoctorFacts facts = good_computer();
    facts.missing_scenarios = {"1d_data_parallel", "4d_hybrid"};
    EXPECT_EQ(check_of(facts, "scenarios").what, "not beside ndsim: 1d_data_parallel, 4d_hybrid");
    EXPECT_EQ(check_of(facts, "scenarios").health, Health::missing);
}

}  // namespace
