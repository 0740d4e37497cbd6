// The Python classes ProcessGroupNCCL and ProcessGroupGloo, over the simulated ranks.
#include "tools/torch/slot/process_group/module.hpp"

#include "tools/torch/slot/process_group/backend.hpp"

#include <pybind11/chrono.h>
#include <torch/csrc/utils/pybind.h>

namespace sim::slot {

namespace py = pybind11;

namespace {

using c10d::Backend;

class NcclBackend final : public RankBackend {
public:
    struct Options final : RankOptions {
        Options() : RankOptions("nccl") {}
        bool is_high_priority_stream = false;
        std::int64_t split_color = 0;
    };
    NcclBackend(int rank, int size, const c10::intrusive_ptr<Options>& options)
        : RankBackend(rank, size, options, true), options_(options) {}
    c10::intrusive_ptr<Options> options() const { return options_; }

private:
    c10::intrusive_ptr<Options> options_;
};

class GlooBackend final : public RankBackend {
public:
    struct Options final : RankOptions {
        explicit Options(std::chrono::milliseconds timeout) : RankOptions("gloo", timeout) {}
    };
    GlooBackend(int rank, int size, const c10::intrusive_ptr<Options>& options)
        : RankBackend(rank, size, options, false), options_(options) {}
    c10::intrusive_ptr<Options> options() const { return options_; }

private:
    c10::intrusive_ptr<Options> options_;
};

template <class Class>
void ignore(Class& backend, std::initializer_list<const char*> names) {
    for (const char* const name : names) {
        backend.def(name, [](const py::args& /*arguments*/, const py::kwargs& /*more*/) {});
    }
}

// If PyTorch's own options have these members, so do its bindings.
template <class Options, class Class>
void bind_names(Class& options) {
    if constexpr (!HasGroupNames<Backend::Options>) {
        options.def_readwrite("group_name", &Options::group_name)
            .def_readwrite("global_ranks_in_group", &Options::global_ranks_in_group);
    }
}

void bind_nccl(py::module_& module) {
    using Options = NcclBackend::Options;
    py::class_<NcclBackend, Backend, c10::intrusive_ptr<NcclBackend>> nccl(module, "ProcessGroupNCCL");
    // Frameworks set NCCL's own attributes (config, split_from): they are kept, but have no effect.
    py::class_<Options, Backend::Options, c10::intrusive_ptr<Options>> options(nccl, "Options", py::dynamic_attr());
    options
        .def(py::init([](bool high) {
                 auto options = c10::make_intrusive<Options>();
                 options->is_high_priority_stream = high;
                 return options;
             }),
             py::arg("is_high_priority_stream") = false)
        .def_readwrite("is_high_priority_stream", &Options::is_high_priority_stream)
        .def_readwrite("split_color", &Options::split_color);
    bind_names<Options>(options);
    nccl.def(py::init(
                 [](const py::object& /*store*/, int rank, int size, const c10::intrusive_ptr<Options>& options,
                    const py::object& /*device*/) { return c10::make_intrusive<NcclBackend>(rank, size, options); }),
             py::arg("store"), py::arg("rank"), py::arg("size"), py::arg("options"),
             py::arg("device_id") = py::none())  // passed since 2.15
        .def_property_readonly("options", &NcclBackend::options)
        .def("_is_initialized", [](NcclBackend& /*self*/) { return true; })
        .def("comm_split_count", [](NcclBackend& /*self*/) { return 0; })
        .def_property_readonly("uid", [](NcclBackend& self) { return self.getID(); });
    // PyTorch's Backend has the last two since 2.8.
    ignore(nccl, {"_set_default_timeout", "_add_ephemeral_timeout", "_verify_work_timeout", "perform_nocolor_split",
                  "register_mem_pool", "deregister_mem_pool", "_group_start", "_group_end", "_shutdown", "abort"});
}

void bind_gloo(py::module_& module) {
    using Options = GlooBackend::Options;
    py::class_<GlooBackend, Backend, c10::intrusive_ptr<GlooBackend>> gloo(module, "ProcessGroupGloo");
    py::class_<Options, Backend::Options, c10::intrusive_ptr<Options>> options(gloo, "_Options", py::dynamic_attr());
    options.def(py::init([](std::chrono::milliseconds timeout) { return c10::make_intrusive<Options>(timeout); }),
                py::arg("timeout") = kBackendDefaultTimeout);
    bind_names<Options>(options);
    gloo.def(py::init([](const py::object& /*store*/, int rank, int size, std::chrono::milliseconds timeout,
                         bool enable_reconfigure) {
                 TORCH_CHECK_NOT_IMPLEMENTED(!enable_reconfigure, "ndsim does not simulate groups that change");
                 return c10::make_intrusive<GlooBackend>(rank, size, c10::make_intrusive<Options>(timeout));
             }),
             py::arg("store"), py::arg("rank"), py::arg("size"), py::arg("timeout") = kBackendDefaultTimeout,
             py::arg("enable_reconfigure") = false)  // passed since 2.14
        .def_property_readonly("options", &GlooBackend::options);
    ignore(gloo, {"_set_default_timeout"});
}

}  // namespace

void bind_process_groups(py::module_& module) {
    py::module_::import("torch._C._distributed_c10d");
    bind_nccl(module);
    bind_gloo(module);
}

}  // namespace sim::slot
