// The doctor's checks say what works on a computer and what does not, each with the line that repairs it.
//
// They are a function of facts that doctor_facts() collects on this computer, so tests can try every case on any
// computer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sim::tools {

// The result of launching two ranks that add numbers up.
struct TriedHost {
    std::string name;       // "process"
    bool works = false;     // launched, and the sum was right
    std::string complaint;  // if it does not work: the reason
};

// A program on this computer, as it describes itself.
struct FoundProgram {
    std::string version;  // empty: not installed
};

struct PythonFacts {
    std::string version;        // empty: no python3
    std::string executable;     // "/usr/bin/python3"
    std::string module_folder;  // of the package ndsim that it finds; empty: none
    std::string complaint;      // why it cannot be imported; empty: it can
    std::string folder_beside;  // folder of ndsim's own package; empty: it was not built
    std::string numpy;          // versions; empty: not installed
    std::string torch;
};

struct DoctorFacts {
    int cores = 1;
    std::int64_t memory_bytes = 0;  // available now
    // Limits; nullopt: unlimited.
    std::optional<std::int64_t> most_processes;
    std::int64_t processes = 0;  // of this user, counted towards the limit
    std::optional<std::int64_t> most_files;
    std::vector<TriedHost> hosts;
    std::string temporary_folder;
    bool temporary_folder_writable = false;
    bool utf8 = false;    // of the terminal, by the environment
    bool colour = false;  // of standard output
    std::vector<std::string> missing_scenarios;
    PythonFacts python;
    bool wheel = false;   // installed by pip: users compile nothing, and no part can be built in
    bool chakra = false;  // built in
    bool mpi = false;
    FoundProgram compiler;
    FoundProgram cmake;
};

// Launches ranks and runs python3, c++ and cmake, which takes about a second. Call it before any thread exists.
DoctorFacts doctor_facts();

// Ordered from best to worst.
enum class Health : std::uint8_t {
    works,    // fully
    limited,  // works, but not as well as it could
    missing,  // an optional part is not installed
    fails,    // ndsim does not work
};
const char* name_of(Health health);  // "works"

struct Check {
    std::string name;  // "ranks as processes"
    Health health = Health::works;
    std::string what;    // one sentence
    std::string repair;  // a shell command, or instructions; empty: nothing to do
};

std::vector<Check> checks_of(const DoctorFacts& facts);

// The number of ranks of a small program that can be processes at once on this computer.
std::int64_t most_process_ranks(const DoctorFacts& facts);

}  // namespace sim::tools
