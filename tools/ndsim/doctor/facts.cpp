#include "tools/ndsim/doctor/checks.hpp"

#include "libsim/collectives/all_reduce.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "ranks/host/machine_limits.hpp"
#include "ranks/hosts.hpp"
#include "tools/command_line/child_process.hpp"
#include "tools/command_line/terminal.hpp"
#include "tools/ndsim/known_scenarios.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

namespace sim::tools {

using namespace command_line;

namespace {

namespace fs = std::filesystem;

#ifdef NDSIM_WHEEL
constexpr bool is_wheel = true;
#else
constexpr bool is_wheel = false;
#endif
#ifdef NDSIM_CHAKRA
constexpr bool has_chakra = true;
#else
constexpr bool has_chakra = false;
#endif
#ifdef NDSIM_MPI
constexpr bool has_mpi = true;
#else
constexpr bool has_mpi = false;
#endif

TriedHost tried(const ranks::HostRow& row) {
    constexpr int two = 2;
    TriedHost host{.name = row.name, .works = false, .complaint = "the sum is wrong"};
    try {
        const ranks::Result result =
            row.run({.ranks = two, .hash_timeline = false, .on_log = nullptr, .watchdog = std::chrono::seconds(10)},
                    [](GPU& gpu) {
                        std::vector<double> numbers{gpu.rank() + 1.0};
                        all_reduce(gpu, world(gpu), numbers, Units{1});
                        gpu.report("sum", numbers);
                    });
        if (!result.ok()) {
            host.complaint = result.fault->message;
            return host;
        }
        const auto& sums = result.reports.at("sum");
        host.works = sums.size() == two && std::all_of(sums.begin(), sums.end(), [](const auto& sum) {
                         return sum.second == std::vector<double>{3.0};
                     });
    } catch (const std::exception& error) {
        host.complaint = error.what();
    }
    return host;
}

// A program's output; empty if it is missing or fails.
std::string answer_of(const std::vector<std::string>& words) {
    try {
        const PassingFolder folder;
        const ChildFiles files{.out = folder.file("out"), .err = folder.file("err")};
        return run_child("/usr/bin/env", words, files) == 0
                   ? config::read_text(files.out, "a text", config::written_by_programs)
                   : "";
    } catch (const std::exception&) {
        return "";
    }
}

FoundProgram version_of(const char* program) {
    const std::string said = answer_of({program, "--version"});
    return {said.substr(0, said.find('\n'))};
}

constexpr const char* python_question = R"python(
import importlib.metadata, importlib.util, json, platform, sys
def version(name):
    if importlib.util.find_spec(name) is None:
        return ""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "there"
folder, complaint = "", ""
found = importlib.util.find_spec("ndsim")
if found is not None and found.origin is not None:
    folder = found.origin.rpartition("/")[0]
    try:
        import ndsim
    except Exception as error:
        complaint = str(error)
print(json.dumps({"version": platform.python_version(), "executable": sys.executable, "folder": folder, "complaint": complaint,
                  "numpy": version("numpy"), "torch": version("torch")}))
)python";

PythonFacts python_facts() {
    PythonFacts facts;
    for (const char* const below : {"../python", "../lib/python3/dist-packages"}) {
        std::error_code ignored;
        const fs::path folder = fs::weakly_canonical(fs::path(own_folder()) / below, ignored);
        if (facts.folder_beside.empty() && fs::exists(folder / "ndsim" / "__init__.py", ignored)) {
            facts.folder_beside = folder;
        }
    }
    const auto json = nlohmann::json::parse(answer_of({"python3", "-B", "-c", python_question}), nullptr, false);
    if (json.is_object()) {
        facts.version = json.value("version", "");
        facts.executable = json.value("executable", "");
        facts.module_folder = json.value("folder", "");
        facts.complaint = json.value("complaint", "");
        facts.numpy = json.value("numpy", "");
        facts.torch = json.value("torch", "");
    }
    return facts;
}

// The first of these variables that is set decides, as in the C library.
bool says_utf8() {
    for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* const value = std::getenv(name);
        if (value != nullptr && *value != '\0') {
            std::string locale = value;
            std::transform(locale.begin(), locale.end(), locale.begin(),
                           [](unsigned char c) { return std::tolower(c); });
            return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
        }
    }
    return false;
}

void find_temporary_folder(DoctorFacts& facts) {
    std::error_code ignored;
    facts.temporary_folder = fs::temp_directory_path(ignored);
    try {
        const PassingFolder folder;
        facts.temporary_folder_writable = true;
    } catch (const std::exception&) {
        facts.temporary_folder_writable = false;
    }
}

}  // namespace

DoctorFacts doctor_facts() {
    DoctorFacts facts;
    for (const ranks::HostRow& row : ranks::hosts()) {
        facts.hosts.push_back(tried(row));
    }
    facts.cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    facts.memory_bytes = ranks::available_memory();
    const ranks::ProcessLimit processes = ranks::process_limit();
    facts.most_processes = processes.most;
    facts.processes = processes.in_use;
    facts.most_files = ranks::most_open_files();
    find_temporary_folder(facts);
    facts.utf8 = says_utf8();
    facts.colour = terminal_at(STDOUT_FILENO).colour;
    for (const std::string& scenario : known_scenarios()) {
        if (!fs::exists(fs::path(own_folder()) / scenario)) {
            facts.missing_scenarios.push_back(scenario);
        }
    }
    facts.python = python_facts();
    facts.wheel = is_wheel;
    facts.chakra = has_chakra;
    facts.mpi = has_mpi;
    facts.compiler = version_of("c++");
    facts.cmake = version_of("cmake");
    return facts;
}

}  // namespace sim::tools
