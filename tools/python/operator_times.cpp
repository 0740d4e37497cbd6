// What a framework's operators take on a machine's GPU: the price list of ndsim.torchrun asks it.
#include "libsim/training/operator_time.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/predict/machine_file.hpp"
#include "tools/python/bindings.hpp"

#include <fmt/format.h>

namespace sim::python {

namespace py = pybind11;

namespace {

using training::OperatorTimes;

training::OperatorPrecision precision_named(const std::string& name) {
    const auto precision = training::operator_precision_named(name);
    if (!precision) {
        throw config::UsageError(fmt::format(
            "precision must be one of fp32, tf32, fp16, bf16, fp8, fp8-rowwise, fp8-block, mxfp8, nvfp4, not {}",
            name));
    }
    return *precision;
}

training::GemmKind kind_named(const std::string& name) {
    const auto kind = training::gemm_kind_named(name);
    if (!kind) {
        throw config::UsageError(fmt::format("kind must be forward, input_gradient or weight_gradient, not {}", name));
    }
    return *kind;
}

std::int64_t matrix_product(const OperatorTimes& self, double m, double n, double k, double batch,
                            const std::string& precision, const std::string& kind) {
    return self.matrix_product({m, n, k, batch}, kind_named(kind), precision_named(precision)).count();
}

std::int64_t convolution(const OperatorTimes& self, double m, double n, double k, double groups, double bytes,
                         const std::string& precision, const std::string& kind) {
    return self.convolution({m, n, k, groups}, kind_named(kind), bytes, precision_named(precision)).count();
}

std::int64_t flash(const OperatorTimes& self, double flops, double heads, double head_dim, double keys,
                   const std::string& precision, bool backward) {
    return self.flash({flops, heads, head_dim, keys, backward}, precision_named(precision)).count();
}

double attention_products(double keys, double values, bool backward) {
    const training::AttentionHead head{keys, values};
    return backward ? head.backward() : head.forward();
}

}  // namespace

void bind_operator_times(py::module_& module) {
    py::class_<OperatorTimes>(
        module, "OperatorTimes",
        "What operators of a framework take on a machine's GPU, in picoseconds.\n\nPrecisions: "
        "fp32, tf32, fp16, bf16, fp8 and other formats. libsim/training/operator_time.hpp says how.")
        .def(py::init([](const std::string& machine, int flash_version) {
                 if (flash_version < 1 || flash_version > 3) {
                     throw config::UsageError(fmt::format("flash_version must be 1, 2 or 3, not {}", flash_version));
                 }
                 return std::make_unique<OperatorTimes>(predict::read_machine(machine).gpu, flash_version);
             }),
             py::arg("machine"), py::arg("flash_version") = training::flash_version_of_torch)
        .def("matrix_product", &matrix_product, py::arg("m"), py::arg("n"), py::arg("k"), py::arg("batch"),
             py::arg("precision"), py::arg("kind") = "forward",
             "C[m, n] += A[m, k] B[k, n]; several side by side as attention's scores are.")
        .def("convolution", &convolution, py::arg("m"), py::arg("n"), py::arg("k"), py::arg("groups"), py::arg("bytes"),
             py::arg("precision"), py::arg("kind") = "forward",
             "The product that a convolution is, of each group, which reads and writes so many bytes.")
        .def("flash", &flash, py::arg("flops"), py::arg("heads"), py::arg("head_dim"), py::arg("keys"),
             py::arg("precision"), py::arg("backward") = false,
             "Attention in one kernel, each query of which meets so many keys on average.")
        .def_static("attention_products", &attention_products, py::arg("keys"), py::arg("values"),
                    py::arg("backward") = false,
                    "Multiplications for each query and key that meet, in a head whose keys and values are so wide.")
        .def(
            "memory", [](const OperatorTimes& self, double bytes) { return self.memory(bytes).count(); },
            py::arg("bytes"), "A kernel that reads and writes so many bytes.")
        .def(
            "peak",
            [](const OperatorTimes& self, const std::string& precision) {
                return self.peak(precision_named(precision));
            },
            py::arg("precision"), "FLOP/s of the units that multiply in that precision.")
        .def_property_readonly(
            "launch_picoseconds", [](const OperatorTimes& self) { return self.launch().count(); },
            "What the host needs for one operator in eager mode.")
        .def_property_readonly(
            "memory_bandwidth", [](const OperatorTimes& self) { return self.gpu().memory_bandwidth; },
            "Bytes per second of the GPU's memory.")
        .def_property_readonly(
            "memory_bytes", [](const OperatorTimes& self) { return self.gpu().memory_bytes; },
            "Bytes of the GPU's memory.")
        .def_property_readonly(
            "name", [](const OperatorTimes& self) { return self.gpu().name; }, "The GPU's name.");
}

}  // namespace sim::python
