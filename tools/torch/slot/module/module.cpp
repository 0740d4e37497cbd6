// The Python module of the slot, imported once torch._C exists.
#ifdef SIM_SLOT_CPU_BUILD
#include "tools/torch/slot/cpu_build/module.hpp"
#endif
#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/compiled_regions.hpp"
#include "tools/torch/slot/hollow.hpp"
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
    module.def("is_hollow", sim::slot::is_hollow, "Whether any of a tensor's values was never computed.");
    module.def("leave_host_hollow", sim::slot::leave_host_hollow,
               "From now on, the host's large tensors have no values either.");
    module.def(
        "declare_routing",
        [](bool is_drawn, std::uint64_t seed, std::vector<std::vector<double>> shares, const py::object& on_choice) {
            sim::slot::declare_routing({is_drawn, seed, std::move(shares)},
                                       [tell = py::handle(on_choice).inc_ref()](std::int64_t picks, std::int64_t of) {
                                           const py::gil_scoped_acquire python;
                                           tell(picks, of);
                                       });
        },
        "Declares what topk picks from scores that were never computed, and a function that is called with each "
        "choice.");
    module.def("on_cpu", sim::slot::on_cpu, "A host tensor on the memory of a GPU tensor.");
    module.def("begin_compiled", sim::slot::begin_compiled,
               "Marks this thread's calls until end_compiled() as compiled.");
    module.def("end_compiled", sim::slot::end_compiled);
    module.def("is_compiled", sim::slot::is_compiled, "Whether an operator called now would be compiled.");
    // torch.distributed's own classes exist later than torch._C.
    module.def("add_process_groups", [module]() mutable { sim::slot::bind_process_groups(module); });
}
