#include "tests/fuzz/targets.hpp"

#ifdef NDSIM_HAS_CHAKRA
#include "libsim/interop/chakra/files.hpp"
#endif
#include "libsim/config/errors.hpp"
#include "libsim/config/injection_text.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/config/topology_table.hpp"
#include "libsim/config/typed_numbers.hpp"
#include "libsim/error.hpp"
#include "libsim/fit/calibration/kernel_table.hpp"
#include "libsim/fit/calibration/nccl_tests.hpp"
#include "libsim/fit/validation/record.hpp"
#include "libsim/interop/goal/text.hpp"
#include "libsim/interop/machine_import/machine_of_node.hpp"
#include "libsim/interop/trace_files/read_trace.hpp"
#include "libsim/predict/machine_file.hpp"
#include "libsim/predict/model_file.hpp"
#include "tests/scenarios/temporary_folder.hpp"
#include "tools/ndsim/calibrate/profiled_kernels.hpp"
#include "tools/ndsim/flows/flow_cases.hpp"

#include <sstream>
#include <stdexcept>

namespace sim::test {

namespace {

// A file that holds an input while it is read: readers also depend on the file's name.
std::string in_file(const char* name, const std::string& bytes) {
    static const TemporaryFolder folder;
    return folder.with(name, bytes);
}

void read_options(const std::string& bytes) {
    config::read_toml(in_file("x.toml", bytes));
}
void read_profile(const std::string& bytes) {
    config::read_profile(in_file("x.toml", bytes), 8);
}
void read_topology(const std::string& bytes) {
    config::read_topology(in_file("x.toml", bytes), 0);
}
void read_machine(const std::string& bytes) {
    predict::read_hardware(in_file("x.toml", bytes));
}
void read_model(const std::string& bytes) {
    predict::read_model_file(in_file("x.toml", bytes));
}
void read_hugging_face_model(const std::string& bytes) {
    predict::read_model_file(in_file("config.json", bytes));
}
void read_runs(const std::string& bytes) {
    config::check_nesting(bytes, "x.json", config::Notation::json);
    fit::read_runs(bytes, "x.json");
}
void read_nccl_tests(const std::string& bytes) {
    fit::read_nccl_tests(bytes, "x.txt");
}
void read_kernel_table(const std::string& bytes) {
    fit::read_kernel_table(bytes, "x.csv");
}
// A description that is read must describe a machine that can be read again.
void read_node(const std::string& bytes) {
    const machine_import::DescribedNode node = machine_import::read_described_node(bytes, "x.xml");
    const std::string text = machine_import::machine_file_of(
        node, {.gpu = bytes.starts_with('<') ? "" : "H100-SXM-80GB", .name = "x", .card_gigabits = 0});
    training::hardware_of_toml(text, "x.toml");
}
void read_flows(const std::string& bytes) {
    config::check_nesting(bytes, "x.json", config::Notation::json);
    tools::parse_flow_cases(bytes, "x.json");
}
void read_trace(const std::string& bytes) {
    trace_files::read_trace(in_file("x.json", bytes));
}
void read_profiled_kernels(const std::string& bytes) {
    tools::read_profiled_kernels(in_file("x.json", bytes));
}
void read_table(const std::string& bytes) {
    trace_files::read_trace(in_file("x.csv", bytes));
}
void read_goal(const std::string& bytes) {
    goal::parse(bytes, "x.goal");
}
#ifdef NDSIM_HAS_CHAKRA
void read_chakra(const std::string& bytes) {
    std::istringstream in(bytes);
    chakra::read_rank(*in.rdbuf(), 0, "x.et");
}
#endif
void read_values(const std::string& bytes) {
    config::duration_of_text(bytes);
    config::byte_size(bytes);
    config::whole_number(bytes);
    using Read = void (*)(const std::string&);
    constexpr Read each[] = {[](const std::string& text) { config::byte_sizes("--x", text); },
                             [](const std::string& text) { config::whole_numbers(text); },
                             [](const std::string& text) { config::injection_of_text("--x", text); }};
    for (const Read read : each) {
        try {
            read(bytes);
        } catch (const config::UsageError&) {
        }
    }
}

constexpr FuzzTarget targets[] = {
    {"options", read_options},
    {"profile", read_profile},
    {"topology", read_topology},
    {"machine", read_machine},
    {"model", read_model},
    {"hugging_face", read_hugging_face_model},
    {"runs", read_runs},
    {"flows", read_flows},
    {"trace", read_trace},
    {"profiled_kernels", read_profiled_kernels},
    {"table", read_table},
    {"goal", read_goal},
    {"values", read_values},
    {"nccl_tests", read_nccl_tests},
    {"kernel_table", read_kernel_table},
    {"described_node", read_node},
#ifdef NDSIM_HAS_CHAKRA
    {"chakra", read_chakra},
#endif
};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() {
    return targets;
}

void run_target(const FuzzTarget& target, const std::string& bytes) {
    try {
        target.read(bytes);
    } catch (const config::UsageError&) {
    } catch (const ProgramError&) {
    } catch (const std::invalid_argument&) {
    } catch (const std::out_of_range&) {
    } catch (const std::overflow_error&) {
    }
}

}  // namespace sim::test
