// A target that links ndsim::ranks can use every installed header: this includes those that no other header pulls in.
#include <libsim/config/injection_text.hpp>
#include <libsim/config/profile.hpp>
#include <libsim/interop/goal/text.hpp>
#include <libsim/interop/trace_files/read_trace.hpp>
#include <libsim/predict/predict.hpp>
#include <libsim/report/amounts.hpp>
#include <libsim/training/hardware.hpp>
#include <libsim/training/machine_cluster.hpp>
#include <libsim/training/presets.hpp>
#include <ranks/launch.hpp>

#include <cstdio>
#include <exception>

using namespace sim::literals;

namespace {

// 1 MB over links priced by a profile, with a GPU slowed by a fault given as text.
sim::ranks::Result run() {
    sim::ranks::LaunchOptions options{.ranks = 2, .host = sim::ranks::Host::fiber};
    options.cluster = sim::config::read_profile("lab-nvlink", 2);
    options.faults = {sim::config::injection_of_text("--fault", "slow rank 1 x2")};
    return sim::ranks::launch(options, [](sim::GPU& gpu) {
        gpu.compute(std::chrono::milliseconds(3));
        gpu.rank() == 0 ? gpu.send(1, 1_MB) : gpu.receive(0, 1_MB);
    });
}

bool refuses_a_trace_that_is_not_there() {
    try {
        sim::trace_files::read_trace("no such trace.json");
        return false;
    } catch (const std::exception&) {
        return true;
    }
}

}  // namespace

int main() {
    const sim::ranks::Result result = run();
    const sim::Cluster machine = sim::training::machine_cluster(sim::training::machine("dgx-h100"));
    const auto step = sim::predict::predict_step(sim::training::preset("gpt2"), sim::training::machine("dgx-h100"), {});
    const bool reads_goal = sim::goal::parse("num_ranks 1\nrank 0 {\ncalc 5\n}\n", "text").ops.size() == 1;
    std::printf("%s, %s, %.3f s\n", sim::report::time_text(result.end, 3).c_str(), machine.name.c_str(),
                sim::seconds(step.step));
    return result.end == sim::Time{std::chrono::milliseconds(6)} && reads_goal && refuses_a_trace_that_is_not_there()
               ? 0
               : 1;
}
