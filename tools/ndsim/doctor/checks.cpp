#include "tools/ndsim/doctor/checks.hpp"

#include "ranks/hosts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace sim::tools {

namespace {

// Three times the memory of a process that runs a small program, including the kernel's share.
constexpr std::int64_t bytes_of_rank = 1'000'000;
constexpr std::int64_t little_memory = 1'000'000'000;
constexpr std::int64_t few_processes = 64;
constexpr std::int64_t few_files = 64;
constexpr const char* build_again = "and build again";
constexpr const char* install_again = "python3 -m pip install --force-reinstall --no-deps ndsim";
constexpr const char* build_from_source = "build ndsim from source, as its README says";

std::int64_t processes_left(const DoctorFacts& facts) {
    return facts.most_processes ? std::max<std::int64_t>(0, *facts.most_processes - facts.processes)
                                : std::int64_t{1} << 40U;
}

Check host_check(const TriedHost& host, const ranks::HostRow& row) {
    Check check{.name = fmt::format("ranks as {}", row.plural)};
    if (host.works) {
        check.what = fmt::format("two ranks added up their numbers; up to {} ranks", row.most_ranks);
        return check;
    }
    check.health = Health::fails;
    check.what = host.complaint;
    check.repair = "ulimit -u unlimited; ulimit -n 1024    # in a container: --pids-limit 8192";
    return check;
}

Check memory_check(const DoctorFacts& facts) {
    Check check{.name = "memory", .what = fmt::format("{:.1f} GB available", double(facts.memory_bytes) / 1e9)};
    if (facts.memory_bytes < little_memory) {
        check.health = Health::limited;
        check.repair = "end other programs, or run fewer ranks, or ranks as fibers: --host fiber";
    }
    return check;
}

Check process_limit_check(const DoctorFacts& facts) {
    Check check{.name = "process limit", .what = "there is none"};
    if (facts.most_processes) {
        check.what = fmt::format("{}, of which {} are in use", *facts.most_processes, facts.processes);
    }
    if (processes_left(facts) < few_processes) {
        check.health = Health::limited;
        check.repair = "ulimit -u 8192    # or ranks as fibers: --host fiber";
    }
    return check;
}

Check file_limit_check(const DoctorFacts& facts) {
    Check check{.name = "open files",
                .what = facts.most_files
                            ? fmt::format("up to {}; a run of processes needs two for each rank", *facts.most_files)
                            : "there is no limit"};
    if (facts.most_files && *facts.most_files < few_files) {
        check.health = Health::limited;
        check.repair = "ulimit -n 1024";
    }
    return check;
}

Check ranks_check(const DoctorFacts& facts) {
    const std::int64_t ranks = most_process_ranks(facts);
    Check check{.name = "ranks that fit",
                .what = fmt::format("{} as processes, {} as fibers", ranks, row_of(ranks::Host::fiber).most_ranks)};
    if (ranks < few_processes) {
        check.health = Health::limited;
        check.repair = "--host fiber    # the same timeline, in one process";
    }
    return check;
}

Check temporary_check(const DoctorFacts& facts) {
    if (facts.temporary_folder_writable) {
        return {.name = "temporary files", .what = fmt::format("{} can be written", facts.temporary_folder)};
    }
    return {
        .name = "temporary files",
        .health = Health::limited,
        .what = fmt::format("{} cannot be written; compare --report and completion need it", facts.temporary_folder),
        .repair = "export TMPDIR=$HOME"};
}

Check terminal_check(const DoctorFacts& facts) {
    const char* const colours = facts.colour ? "colours" : "no colours";
    if (facts.utf8) {
        return {.name = "terminal", .what = fmt::format("UTF-8, {}", colours)};
    }
    return {.name = "terminal",
            .health = Health::limited,
            .what = fmt::format("not UTF-8, {}; it may lack the characters that timelines are drawn with", colours),
            .repair = "export LC_ALL=C.UTF-8    # or draw with --ascii"};
}

Check scenarios_check(const DoctorFacts& facts) {
    if (facts.missing_scenarios.empty()) {
        return {.name = "scenarios", .what = "all are beside ndsim"};
    }
    return {.name = "scenarios",
            .health = Health::missing,
            .what = fmt::format("not beside ndsim: {}", fmt::join(facts.missing_scenarios, ", ")),
            .repair = facts.wheel ? install_again : "tools/build.sh demo"};
}

Check module_check(const DoctorFacts& facts) {
    const PythonFacts& python = facts.python;
    const std::string build_it =
        fmt::format("sudo apt install python3-dev pybind11-dev python3-numpy, {}", build_again);
    Check check{.name = "Python package ndsim", .health = Health::missing};
    if (python.version.empty()) {
        check.what = "there is no python3";
        check.repair = facts.wheel ? "sudo apt install python3" : build_it;
    } else if (!python.module_folder.empty() && python.complaint.empty()) {
        check.health = Health::works;
        check.what = fmt::format("in {}, Python {}", python.module_folder, python.version);
    } else if (!python.module_folder.empty()) {
        check.what = fmt::format("{} cannot be imported: {}", python.module_folder, python.complaint);
        check.repair = facts.wheel
                           ? install_again
                           : "build it for this Python: cmake -B build -DPython3_EXECUTABLE=\"$(command -v python3)\"";
    } else if (facts.wheel) {
        check.what = fmt::format("Python {} does not find it", python.version);
        check.repair = "use the python3 of the environment that ndsim is installed in: source ENVIRONMENT/bin/activate";
    } else if (!python.folder_beside.empty()) {
        check.what = fmt::format("Python {} does not find it", python.version);
        check.repair = fmt::format("export PYTHONPATH={}", python.folder_beside);
    } else {
        check.what = "was not built";
        check.repair = build_it;
    }
    return check;
}

// The check of an optional part: its version, or how to install it.
Check part_check(const char* name, const std::string& version, const char* what_for, const std::string& repair) {
    if (!version.empty()) {
        return {.name = name, .what = fmt::format("{}, for {}", version, what_for)};
    }
    return {.name = name,
            .health = Health::missing,
            .what = fmt::format("not installed; needed for {}", what_for),
            .repair = repair};
}

// Debian's packages work only for Debian's own Python.
std::string python_repair(const PythonFacts& python, const char* name) {
    return python.executable.empty() || python.executable == "/usr/bin/python3"
               ? fmt::format("sudo apt install python3-{}", name)
               : fmt::format("{} -m pip install {}", python.executable, name);
}

}  // namespace

const char* name_of(Health health) {
    constexpr std::array<const char*, 4> names{"works", "limited", "missing", "fails"};
    return names.at(static_cast<std::size_t>(health));
}

std::int64_t most_process_ranks(const DoctorFacts& facts) {
    return std::min({std::int64_t{row_of(ranks::Host::process).most_ranks}, processes_left(facts),
                     facts.memory_bytes / bytes_of_rank});
}

std::vector<Check> checks_of(const DoctorFacts& facts) {
    std::vector<Check> checks;
    for (std::size_t i = 0; i < facts.hosts.size(); ++i) {
        checks.push_back(host_check(facts.hosts[i], ranks::hosts().at(i)));
    }
    checks.insert(checks.end(),
                  {{.name = "cores", .what = fmt::format("{}", facts.cores)},
                   memory_check(facts),
                   process_limit_check(facts),
                   file_limit_check(facts),
                   {.name = "shared memory", .what = "is mapped without a name: /dev/shm and its limits do not matter"},
                   ranks_check(facts),
                   temporary_check(facts),
                   terminal_check(facts),
                   scenarios_check(facts)});
    if (!facts.wheel) {
        checks.insert(checks.end(), {part_check("C++ compiler", facts.compiler.version,
                                                "labs and scenarios of your own", "sudo apt install g++"),
                                     part_check("CMake", facts.cmake.version, "scenarios of your own",
                                                "sudo apt install cmake ninja-build")});
    }
    const auto built_with = [&](const char* package) {
        return facts.wheel ? build_from_source : fmt::format("sudo apt install {}, {}", package, build_again);
    };
    checks.insert(
        checks.end(),
        {module_check(facts),
         part_check("NumPy", facts.python.numpy, "arrays in Python", python_repair(facts.python, "numpy")),
         part_check("PyTorch", facts.python.torch, "python3 -m ndsim.torchrun", python_repair(facts.python, "torch")),
         part_check("Chakra", facts.chakra ? "built in" : "", "ndsim chakra and --chakra",
                    built_with("protobuf-compiler libprotobuf-dev")),
         part_check("MPI", facts.mpi ? "built in" : "", "ndsim sweep over several machines",
                    built_with("libopenmpi-dev openmpi-bin"))});
    return checks;
}

}  // namespace sim::tools
