// The doctor's checks say what works on a computer and what does not, each with the line that repairs it.
//
// They are a function of facts, which doctor_facts() finds out on this computer, now; so every case can be tried on
// any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sim::tools {

// The result of launching two ranks that add numbers up.
struct TriedHost {
    std::string name;       // "process"
    bool works = false;     // and the sum was right
    std::string complaint;  // else: why not
};

// Another program's own account of itself.
struct FoundProgram {
    std::string version;  // empty: it is not there
};

struct PythonFacts {
    std::string version;        // empty: there is no python3
    std::string executable;     // "/usr/bin/python3"
    std::string module_folder;  // of the package ndsim that it finds; empty: none
    std::string complaint;      // why that cannot be imported; empty: it can
    std::string folder_beside;  // where ndsim's own package lies; empty: it was not built
    std::string numpy;          // versions; empty: not there
    std::string torch;
};

struct DoctorFacts {
    int cores = 1;
    std::int64_t memory_bytes = 0;  // that can be used now
    // Limits; none: there is no limit.
    std::optional<std::int64_t> most_processes;
    std::int64_t processes = 0;  // of this user, that count towards it
    std::optional<std::int64_t> most_files;
    std::vector<TriedHost> hosts;
    std::string temporary_folder;
    bool temporary_folder_writable = false;
    bool utf8 = false;    // what the environment says of a terminal
    bool colour = false;  // of standard output
    std::vector<std::string> missing_scenarios;
    PythonFacts python;
    bool wheel = false;   // installed by pip: nothing is compiled there, and nothing can be built in
    bool chakra = false;  // built in
    bool mpi = false;
    FoundProgram compiler;
    FoundProgram cmake;
};

// Launches ranks, and asks python3, c++ and cmake, which takes about a second. Call it before threads exist.
DoctorFacts doctor_facts();

// In the order of their numbers.
enum class Health : std::uint8_t {
    works,    // all of it
    limited,  // it works, but not as well as it could
    missing,  // an optional part is not there
    fails,    // ndsim does not work
};
const char* name_of(Health health);  // "works"

struct Check {
    std::string name;  // "ranks as processes"
    Health health = Health::works;
    std::string what;    // one sentence
    std::string repair;  // a line for a shell, or what to do; empty: nothing is to be done
};

std::vector<Check> checks_of(const DoctorFacts& facts);

// How many ranks can be processes here, of a program that holds little itself.
std::int64_t most_process_ranks(const DoctorFacts& facts);

}  // namespace sim::tools
