// The slot's Python module in a build of PyTorch for the CPU: the functions that torch._C has in a build for CUDA.
#include "tools/torch/slot/cpu_build/module.hpp"

#include "tools/torch/slot/choices.hpp"
#include "tools/torch/slot/cpu_build/allocator_settings.hpp"
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/generator.hpp"
#include "tools/torch/slot/graphs/graph.hpp"
#include "tools/torch/slot/seam_table.hpp"
#include "tools/torch/slot/sleep.hpp"
#include "tools/torch/slot/storage.hpp"
#include "tools/torch/slot/versions.hpp"

#include <ATen/Context.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace sim::slot {

namespace py = pybind11;

namespace {

using c10::CachingDeviceAllocator::DeviceStats;

c10::impl::VirtualGuardImpl guard() {
    return c10::impl::VirtualGuardImpl(c10::kCUDA);
}

c10::DeviceIndex index_of(int device) {
    return static_cast<c10::DeviceIndex>(device);
}

int exchange(int device) {
    if (device < 0) {
        return -1;
    }
    const int before = current_device();
    use_device(index_of(device));
    return before;
}

py::tuple triple_of(const c10::Stream& stream) {
    return py::make_tuple(stream.id(), static_cast<int>(stream.device_index()), static_cast<int>(stream.device_type()));
}

void set_stream(std::int64_t number, int device, int /*type*/) {
    use_device(index_of(device));
    guard().exchangeStream(c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::kCUDA, index_of(device)), number));
}

py::dict dict_of(const c10::CachingAllocator::Stat& stat) {
    py::dict dict;
    dict["current"] = stat.current;
    dict["peak"] = stat.peak;
    dict["allocated"] = stat.allocated;
    dict["freed"] = stat.freed;
    return dict;
}

py::dict dict_of(const c10::CachingAllocator::StatArray& stats) {
    py::dict dict;
    dict["all"] = dict_of(stats[0]);
    dict["small_pool"] = dict_of(stats[1]);
    dict["large_pool"] = dict_of(stats[2]);
    return dict;
}

py::dict statistics(int device) {
    const DeviceStats stats = c10::getDeviceAllocator(c10::kCUDA)->getDeviceStats(index_of(device));
    py::dict dict;
    dict["allocation"] = dict_of(stats.allocation);
    dict["segment"] = dict_of(stats.segment);
    dict["active"] = dict_of(stats.active);
    dict["inactive_split"] = dict_of(stats.inactive_split);
    dict["allocated_bytes"] = dict_of(stats.allocated_bytes);
    dict["reserved_bytes"] = dict_of(stats.reserved_bytes);
    dict["active_bytes"] = dict_of(stats.active_bytes);
    dict["inactive_split_bytes"] = dict_of(stats.inactive_split_bytes);
    dict["requested_bytes"] = dict_of(stats.requested_bytes);
    dict["oversize_allocations"] = dict_of(stats.oversize_allocations);
    dict["oversize_segments"] = dict_of(stats.oversize_segments);
    dict["num_alloc_retries"] = stats.num_alloc_retries;
    dict["num_ooms"] = stats.num_ooms;
    dict["num_sync_all_streams"] = stats.num_sync_all_streams;
    dict["num_device_alloc"] = stats.num_device_alloc;
    dict["num_device_free"] = stats.num_device_free;
    dict["max_split_size"] = stats.max_split_size;
    return dict;
}

py::dict properties(int device) {
    const seam::Properties& known = *gpu().properties(seam_device(device));
    py::dict dict;
    dict["name"] = known.name;
    dict["uuid"] = uuid_of(seam_device(device)).substr(std::strlen("GPU-"));
    dict["major"] = known.major;
    dict["minor"] = known.minor;
    dict["total_memory"] = known.memory_bytes;
    dict["multi_processor_count"] = known.multiprocessors;
    dict["L2_cache_size"] = known.l2_bytes;
    dict["shared_memory_per_multiprocessor"] = known.shared_bytes_per_multiprocessor;
    return dict;
}

void resize_python_storage(std::uintptr_t storage, std::size_t bytes) {
    resize(*reinterpret_cast<c10::StorageImpl*>(storage), bytes);
}

void bind_devices(py::module_& module) {
    module.def("initialize", [] {
        read_allocator_settings();
        at::globalContext().lazyInitDevice(c10::kCUDA);
    });
    module.def("device_count", [] { return visible_devices(); });
    module.def("device", [] { return static_cast<int>(current_device()); });
    module.def("set_device", [](int device) { use_device(index_of(device)); });
    module.def("exchange_device", &exchange);
    module.def("properties", &properties);
    module.def("default_generator", [](int device) { return default_generator(index_of(device)); });
}

void bind_streams(py::module_& module) {
    module.def("current_stream", [](int device) { return triple_of(current_stream(index_of(device))); });
    module.def("set_stream", &set_stream);
    module.def(
        "synchronize", [] { require(gpu().synchronize_device(seam_device(current_device()))); },
        py::call_guard<py::gil_scoped_release>());
    module.def("sleep", &sleep, py::call_guard<py::gil_scoped_release>());
    module.def("elapsed_milliseconds", [](std::uintptr_t begin, std::uintptr_t end) {
        return guard().elapsedTime(reinterpret_cast<void*>(begin), reinterpret_cast<void*>(end), current_device());
    });
}

// Queries about the libraries of a build for CUDA.
void bind_choices(py::module_& module) {
    module.attr("cudnn_version") = cudnn_version;
    module.def("can_use_flash_attention", &sdp::can_use_flash_attention, py::arg("params"), py::arg("debug") = false);
    module.def("can_use_mem_efficient_attention", &sdp::can_use_mem_efficient_attention, py::arg("params"),
               py::arg("debug") = false);
    module.def("can_use_cudnn_attention", &sdp::can_use_cudnn_attention, py::arg("params"), py::arg("debug") = false);
}

void bind_memory(py::module_& module) {
    const auto allocator = [] { return c10::getDeviceAllocator(c10::kCUDA); };
    module.def("memory_statistics", &statistics);
    module.def("reset_peak_statistics", [=](int device) { allocator()->resetPeakStats(index_of(device)); });
    module.def("reset_accumulated_statistics",
               [=](int device) { allocator()->resetAccumulatedStats(index_of(device)); });
    module.def("empty_cache", [=] { allocator()->emptyCache({0, 0}); });
    module.def("change_memory_settings", &change_memory_settings);
    module.def("limit_memory", [](double fraction, int device) { limit_memory(index_of(device), fraction); });
    module.def("memory_fraction", [](int device) { return memory_fraction(index_of(device)); });
    module.def("memory_info", [=](int device) { return allocator()->getMemoryInfo(index_of(device)); });
    module.def("resize_storage", &resize_python_storage);
    module.def("register_host", &register_host);
    module.def("unregister_host", &unregister_host);
}

void begin_capture(Graph& graph, std::optional<PoolId> pool, const std::string& mode) {
    TORCH_CHECK(mode == "global" || mode == "thread_local" || mode == "relaxed",
                "Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got ", mode);
    const py::gil_scoped_release unlocked;
    graph.begin(pool.value_or(PoolId{0, 0}), mode == "relaxed");
}

// The base class of torch.cuda.CUDAGraph in Python.
void bind_graphs(py::module_& module) {
    const py::call_guard<py::gil_scoped_release> unlocked;
    py::class_<Graph, std::shared_ptr<Graph>>(module, "CUDAGraph")
        .def(py::init<bool>(), py::arg("keep_graph") = false)
        .def("capture_begin", &begin_capture, py::arg("pool") = py::none(), py::arg("capture_error_mode") = "global")
        .def("capture_end", torch::wrap_pybind_function_no_gil([](Graph& graph) { graph.end(); }))
        // Nothing to register: every generator used in a graph draws anew at each launch.
        .def("register_generator_state", [](Graph&, const py::object& /*generator*/) {})
        .def("instantiate", &Graph::instantiate)
        .def("replay", &Graph::replay, unlocked)
        .def("reset", &Graph::reset, unlocked)
        .def("pool", &Graph::pool)
        .def("enable_debug_mode", [](Graph&) {});
    module.def("new_pool", [] { return new_pool(true); });
    module.def("is_capturing", [] { return Tape::of(current_device()) != nullptr; });
}

}  // namespace

void bind_cpu_build(py::module_& module) {
    bind_devices(module);
    bind_streams(module);
    bind_memory(module);
    bind_choices(module);
    bind_graphs(module);
}

}  // namespace sim::slot
