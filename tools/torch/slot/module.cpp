// The Python module of the slot, imported when torch._C is there.
#ifdef SIM_SLOT_CPU_BUILD
#include "tools/torch/slot/cpu_build/module.hpp"
#endif
#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/compiled_regions.hpp"
#include "tools/torch/slot/hollow/hollow.hpp"
#include "tools/torch/slot/hollow/of_host.hpp"
#include "tools/torch/slot/hollow/routing.hpp"
#include "tools/torch/slot/process_group/module.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

namespace py = pybind11;

PYBIND11_MODULE(_slot, module) {
    module.doc() = "The simulated GPUs of ndsim in this PyTorch.";
#ifdef SIM_SLOT_CPU_BUILD
    sim::slot::bind_cpu_build(module);
#endif
    module.def("is_hollow", sim::slot::is_hollow, "Whether a tensor's numbers, or some of them, were never computed.");
    module.def("leave_host_hollow", sim::slot::leave_host_hollow,
               "The host's large tensors have no numbers either, from here on.");
    module.def(
        "declare_routing",
        [](bool is_drawn, std::uint64_t seed, std::vector<std::vector<double>> shares, const py::object& on_choice) {
            sim::slot::declare_routing({is_drawn, seed, std::move(shares)},
                                       [tell = py::handle(on_choice).inc_ref()](std::int64_t picks, std::int64_t of) {
                                           const py::gil_scoped_acquire python;
                                           tell(picks, of);
                                       });
        },
        "What topk picks from scores that were never computed, and who is told of each call.");
    module.def("on_cpu", sim::slot::on_cpu, "A tensor of the host on the memory of one of a GPU.");
    module.def("begin_compiled", sim::slot::begin_compiled, "What this thread calls until end_compiled() is compiled.");
    module.def("end_compiled", sim::slot::end_compiled);
    module.def("is_compiled", sim::slot::is_compiled, "Whether an operator that is called here would be compiled.");
    // torch.distributed's own classes are there later than torch._C.
    module.def("add_process_groups", [module]() mutable { sim::slot::bind_process_groups(module); });
}
