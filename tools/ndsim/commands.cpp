#include "tools/ndsim/collective.hpp"
#include "tools/ndsim/command.hpp"
#include "tools/ndsim/flows.hpp"
#include "tools/ndsim/goal.hpp"
#include "tools/ndsim/hardware.hpp"
#include "tools/ndsim/memory.hpp"
#include "tools/ndsim/plan.hpp"
#include "tools/ndsim/sweep.hpp"
#include "tools/ndsim/topology.hpp"
#include "tools/ndsim/train.hpp"
#include "tools/ndsim/validate.hpp"

namespace sim::scenarios {

std::vector<Command> commands() {
    return {
        {"train", "how long a training step takes, what it needs, and why: a model on a machine in a layout",
         run_train},
        {"memory", "what a GPU's memory holds in a training step, over time, and whether it fits", run_memory},
        {"plan", "the fastest or cheapest of all layouts that fit, and the flags it is launched with", run_plan},
        {"sweep", "any option of train as a list or range: a row for each combination", run_sweep},
        {"collective", "how long collectives take, by size and algorithm: the table of nccl-tests", run_collective},
        {"hardware", "machines and accelerators: every number, and where it comes from", run_hardware},
        {"topology", "what a topology is made of, how far its GPUs are apart, and how it looks", run_topology},
        {"flows", "when flows over shared links end, max-min fair", run_flows},
        {"goal", "run a GOAL schedule under LogGP, as LogGOPSim does", run_goal},
        {"validate", "published training runs, predicted and compared with what was measured", run_validate},
    };
}

}  // namespace sim::scenarios
