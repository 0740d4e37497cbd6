// The simulated GPUs of a rank that runs PyTorch, as Python holds them. PyTorch itself reaches them through the seam's
// functions.
#include "libsim/error.hpp"
#include "libsim/predict/machine_file.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/rank_gpu.hpp"
#include "tools/python/script_line.hpp"
#include "tools/torch/prices/kind.hpp"
#include "tools/torch/table/process.hpp"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

namespace sim::python {

namespace py = pybind11;

namespace {

constexpr double picoseconds_a_microsecond = 1e6;

class TorchGpus {
public:
    TorchGpus(const RankGPU& gpu, torch::ProcessTerms terms) : process_(*gpu.gpu, std::move(terms)) {
        torch::be(&process_);
    }
    TorchGpus(const TorchGpus&) = delete;
    TorchGpus& operator=(const TorchGpus&) = delete;
    ~TorchGpus() { torch::be(nullptr); }

    torch::Process& process() { return process_; }

private:
    torch::Process process_;
};

std::unique_ptr<TorchGpus> make(const RankGPU& gpu, const std::string& machine, int home,
                                std::optional<int> flash_version, std::optional<double> launch_microseconds,
                                bool compiled, const std::vector<int>& running, const std::vector<int>& acting,
                                const py::function& where, const std::shared_ptr<ScriptLine>& line,
                                const py::function& went_on) {
    torch::ProcessTerms terms{.machine = predict::read_machine(machine), .home = home};
    terms.flash_version = flash_version;
    if (launch_microseconds) {
        terms.launch = Duration{static_cast<std::int64_t>(*launch_microseconds * picoseconds_a_microsecond)};
    }
    terms.is_compiled = compiled;
    terms.running = running;
    terms.acting = acting;
    terms.where = [where](const char* operation) {
        const py::gil_scoped_acquire lock;
        try {
            return where(operation).cast<std::string>();
        } catch (py::error_already_set& error) {
            throw ProgramError(std::string(py::str(error.value())));
        }
    };
    terms.line = [line] {
        const py::gil_scoped_acquire lock;
        return line->now();
    };
    terms.went_on = [went_on] {
        const py::gil_scoped_acquire lock;
        went_on();
    };
    return std::make_unique<TorchGpus>(gpu, std::move(terms));
}

// Binds what a rank reports when its script has ended.
void bind_what_was_done(py::class_<TorchGpus>& gpus) {
    gpus.def(
            "collectives",
            [](TorchGpus& self) {
                py::list all;
                for (const auto& each : self.process().collectives()) {
                    all.append(py::make_tuple(static_cast<int>(each.kind), each.bytes, each.members));
                }
                return all;
            },
            "The collectives among several ranks so far: C++'s number of the kind, bytes, and number of ranks.")
        .def(
            "operators",
            [](TorchGpus& self) {
                const report::Json rows = torch::prices::row_record().list(self.process().prices().rows());
                return py::module_::import("json").attr("loads")(rows.dump());
            },
            "The cost of operators so far: one row per operator and pricing method.")
        .def(
            "recompute", [](TorchGpus& self, bool is_recomputed) { self.process().recompute(is_recomputed); },
            py::arg("is_recomputed"), "Set whether the operators from here on are recomputation for a backward pass.")
        .def(
            "end_step", [](TorchGpus& self, std::int64_t optimizer) { return self.process().end_step(optimizer); },
            py::arg("optimizer"),
            "Record that an optimizer, by its number, has stepped: it marks the compute stream for the launcher's "
            "account of steps.")
        .def_property(
            "is_in_optimizer", [](TorchGpus& self) { return self.process().is_in_optimizer; },
            [](TorchGpus& self, bool is_in) { self.process().is_in_optimizer = is_in; },
            "Whether launched kernels belong to an optimizer.")
        .def(
            "tally",
            [](TorchGpus& self) {
                const torch::prices::Tally& tally = self.process().tally();
                return py::make_tuple(tally.flops, tally.flops_again, tally.at_peak, tally.again_at_peak);
            },
            "So far: FLOPs of matmuls and attention, those among them that are recomputed or an optimizer's, "
            "and the seconds of both at peak rate.")
        .def(
            "operators_text", [](TorchGpus& self) { return torch::prices::bill_text(self.process().prices().rows()); },
            "The same as text.");
}

}  // namespace

void bind_torch_gpus(py::module_& module) {
    module.def(
        "torch_table",
        [](const std::string& machine, bool hollow) {
            return reinterpret_cast<std::uintptr_t>(&torch::table_for(predict::read_machine(machine), hollow));
        },
        py::arg("machine"), py::arg("hollow"),
        "The address of the functions through which PyTorch's slot uses simulated GPUs of this machine.");
    module.def(
        "has_price", [](const std::string& name) { return torch::prices::known_kind(name).has_value(); },
        py::arg("name"), "Whether an operator, named with its namespace, has a row in the price tables.");
    py::class_<ScriptLine, std::shared_ptr<ScriptLine>>(
        module, "ScriptLine", "The line of the script that a thread is executing, to attribute tensors to lines.")
        .def(py::init<unsigned long, py::function, py::function>(), py::kw_only(), py::arg("thread"),
             py::arg("is_script"), py::arg("line_of"))
        .def("now", &ScriptLine::now, "The current line; empty if the script is not running.");
    py::class_<TorchGpus> gpus(
        module, "TorchGpus",
        "The simulated GPUs of this process, which is a rank from here on. All times are in picoseconds.");
    gpus.def(py::init(&make), py::arg("gpu"), py::kw_only(), py::arg("machine"), py::arg("home"),
             py::arg("flash_version"), py::arg("launch_microseconds"), py::arg("compiled"), py::arg("running"),
             py::arg("acting"), py::arg("where"), py::arg("line"), py::arg("went_on"))
        .def_property_readonly(
            "host_picoseconds", [](TorchGpus& self) { return self.process().gpus().host().count(); },
            "The host's clock.")
        .def(
            "pass_host", [](TorchGpus& self, std::int64_t time) { self.process().gpus().host_passes(Duration{time}); },
            py::arg("picoseconds"), "Keep the host busy with something else for this long.")
        .def(
            "time_of",
            [](TorchGpus& self, seam::Mark mark) {
                return without_lock([&] { return self.process().gpus().time_of(self.process().mark(mark)).count(); });
            },
            py::arg("mark"), "The time at which the stream reaches the mark.")
        .def(
            "synchronize", [](TorchGpus& self) { without_lock([&] { self.process().gpus().synchronize_all(); }); },
            "Make the host wait for all streams.")
        .def(
            "push_range", [](TorchGpus& self, const std::string& name) { self.process().push_range(name); },
            py::arg("name"), "Open a range; its name prefixes those of kernels.")
        .def(
            "pop_range", [](TorchGpus& self) { self.process().pop_range(); }, "Close the innermost range.")
        .def_property(
            "compiled", [](TorchGpus& self) { return self.process().is_compiled(); },
            [](TorchGpus& self, bool compiled) {
                self.process().compile(compiled, {self.process().home(), 0});
            },
            "Whether operators are priced as fused by torch.compile.")
        .def_property_readonly(
            "missed", [](TorchGpus& self) { return self.process().missed(); },
            "The ranks that must also run for this one to continue; empty if it did not end for that reason.")
        .def_property_readonly(
            "refusal", [](TorchGpus& self) { return self.process().refusal(); },
            "The last unsupported request of the program, in the words of its exception; empty if there was "
            "none.");
    bind_what_was_done(gpus);
}

}  // namespace sim::python
