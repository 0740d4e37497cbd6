// This table lists the commands of `ndsim`; --help prints it. A new command is a file and a row here.
#pragma once

namespace sim::tools {

// A command runs like a main: argv[0] is its name. It returns the exit code, or throws what exit_code_of() knows.
using CommandMain = int(int argc, const char* const* argv);

struct Command {
    const char* name;
    const char* summary;  // half a line
    CommandMain* run;
};

CommandMain run_train, run_explain, run_memory, run_plan, run_sweep, run_goodput, run_collective;
CommandMain run_compare, run_hardware, run_topology, run_flows, run_goal, run_chakra, run_validate, run_trace, run_lab;
CommandMain run_calibrate, run_doctor, run_completion, run_models;
// `ndsim explain SCENARIO`, a part of explain: argv[0] is the scenario's name. Options that are not the explanation's
// own are the scenario's.
CommandMain run_explain_scenario;

// In the order in which they are shown.
inline constexpr Command commands[] = {
    {"train", "how long a training step takes, what it needs, and why: a model on a machine in a layout", run_train},
    {"explain", "a training step at hardware level: who holds what, what is lost where, and what to try", run_explain},
    {"memory", "what a GPU's memory holds in a training step, over time, and whether it fits", run_memory},
    {"plan", "the fastest or cheapest of all layouts that fit, and the flags it is launched with", run_plan},
    {"sweep", "any option of train as a list or range: a row for each combination", run_sweep},
    {"goodput", "weeks of training with failures, checkpoints and restarts: how much of it is effective", run_goodput},
    {"collective", "how long collectives take, by size and algorithm: the table of nccl-tests", run_collective},
    {"compare", "two results side by side: what makes the difference, and why", run_compare},
    {"models", "the models that are known by name, with their parameters", run_models},
    {"hardware", "machines and accelerators: every number, and where it comes from", run_hardware},
    {"calibrate", "the numbers of your own cluster, from nccl-tests, a benchmark of kernels and step times",
     run_calibrate},
    {"topology", "what a topology is made of, how far its GPUs are apart, and how it looks", run_topology},
    {"flows", "when flows over shared links end, max-min fair", run_flows},
    {"goal", "run a GOAL schedule under LogGP, as LogGOPSim does", run_goal},
    {"chakra", "run Chakra execution traces, such as ASTRA-sim's, on any network", run_chakra},
    {"trace", "where the time of a trace went, how two differ, and other formats: ours and the PyTorch profiler's",
     run_trace},
    {"lab", "labs that grade themselves: write a rank program, and learn what it does and why", run_lab},
    {"validate", "published training runs, predicted and compared with what was measured", run_validate},
    {"doctor", "what works on this computer and what does not, with the line that repairs it", run_doctor},
    {"completion", "a script that completes commands, options and names in bash, zsh or fish", run_completion},
};

}  // namespace sim::tools
