// The device of a rank as Python programs hold it: what ndsim.torchrun is built on.
#include "libsim/error.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/collective_terms.hpp"
#include "tools/python/device.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace sim::python {

namespace py = pybind11;

namespace {

struct RankDevice {
    GPU* gpu;
    Device device;
};

struct CollectiveWords {
    int stream = 1;
    const std::string& kind;
    std::int64_t bytes = 0;
    const Group& group;
    int root = -1;
    const std::string& label;
};

Duration picoseconds_of(std::int64_t picoseconds, const char* what) {
    if (picoseconds < 0) {
        throw ProgramError(fmt::format("{} takes 0 picoseconds or more, not {}", what, picoseconds));
    }
    return Duration{picoseconds};
}

std::shared_ptr<RankHandle> launch_collective(RankDevice& self, const CollectiveWords& words, const py::object& data,
                                              bool takes, bool after_main, std::int64_t not_before,
                                              const py::iterable& after) {
    const Collective what{
        .kind = kind_named(words.kind), .size = Bytes{words.bytes}, .root = words.root, .label = words.label};
    Device::Terms terms{.stream = stream_numbered(words.stream),
                        .after_main = after_main,
                        .not_before = picoseconds_of(not_before, "not_before"),
                        .takes = takes};
    for (const py::handle& handle : after) {
        const auto& open = handle.cast<const RankHandle&>();
        if (!open.joined) {
            terms.after.push_back(open.still_open());
        }
    }
    std::optional<Buffer> buffer;
    if (!data.is_none()) {
        buffer.emplace(data, Access::read, words.kind.c_str());
        terms.data = buffer->bytes();
    }
    const Device::Launched launched = without_lock([&] { return self.device.collective(words.group, what, terms); });
    return std::make_shared<RankHandle>(
        RankHandle{.gpu = self.gpu, .handle = launched.handle, .brought = launched.brought});
}

void join(RankDevice& self, const py::args& handles) {
    for (const py::handle& each : handles) {
        auto& handle = each.cast<RankHandle&>();
        if (!handle.joined) {
            const Handle& open = handle.still_open();
            without_lock([&] { self.device.join(open); });
            handle.joined = true;
        }
    }
}

py::list take(RankDevice& self, RankHandle& handle) {
    if (!handle.joined || !handle.brought) {
        throw ProgramError("only the data of a collective that was joined, and not yet taken, can be taken");
    }
    const BroughtData brought = *std::exchange(handle.brought, std::nullopt);
    const auto all = without_lock([&] { return self.gpu->take(brought); });
    py::list views;
    for (const std::span<const std::byte> bytes : all) {
        views.append(bytes.empty() ? py::memoryview(py::bytes(""))
                                   : py::memoryview::from_memory(bytes.data(), std::ssize(bytes)));
    }
    return views;
}

}  // namespace

void bind_devices(py::module_& module) {
    py::class_<RankDevice> device(
        module, "Device",
        "A GPU whose host runs ahead of it: the host's clock grows by each launch, the GPU carries out what it was "
        "handed, in order and no earlier. All times are in picoseconds since the beginning of the run.");
    device
        .def(py::init([](const RankGPU& gpu, std::int64_t launch) {
                 return RankDevice{gpu.gpu, Device(*gpu.gpu, picoseconds_of(launch, "a launch"))};
             }),
             py::arg("gpu"), py::arg("launch_picoseconds"))
        .def_property_readonly(
            "host_picoseconds", [](const RankDevice& self) { return self.device.host().count(); }, "The host's clock.")
        .def(
            "kernel",
            [](RankDevice& self, std::string_view label, std::int64_t time) {
                self.device.kernel(label, picoseconds_of(time, "a kernel"));
            },
            py::arg("label"), py::arg("picoseconds"), "Launch a kernel that keeps the GPU busy for so long.")
        .def(
            "pass_host",
            [](RankDevice& self, std::int64_t time) { self.device.pass_host(picoseconds_of(time, "the host")); },
            py::arg("picoseconds"), "The host is busy with something else for so long.")
        .def(
            "allocate",
            [](RankDevice& self, std::string_view label, std::int64_t bytes) { self.device.allocate(label, bytes); },
            py::arg("label"), py::arg("bytes"), "Take memory into use behind the kernels so far; below 0: free it.")
        .def(
            "collective",
            [](RankDevice& self, int stream, const std::string& kind, std::int64_t bytes, const Group& group, int root,
               const py::object& data, bool takes, bool after_main, std::int64_t not_before,
               const py::iterable& after, const std::string& label) {
                return launch_collective(self, {stream, kind, bytes, group, root, label}, data, takes, after_main,
                                         not_before, after);
            },
            py::arg("stream"), py::arg("kind"), py::arg("bytes"), py::kw_only(), py::arg("group"), py::arg("root") = -1,
            py::arg("data") = py::none(), py::arg("takes") = true, py::arg("after_main") = true,
            py::arg("not_before") = 0, py::arg("after") = py::tuple(), py::arg("label") = "",
            "Launch a collective, priced as a whole, on a stream; `data` travel beside it, free of charge.\n\n"
            "bytes: of the whole result (reduce_scatter, scatter, all_to_all: of a rank's whole input). It begins "
            "behind the kernels launched so far, or (after_main=False) as soon as the host has launched it and at "
            "not_before, in picoseconds, and behind the handles `after`. takes: this member will join it and take() what all members brought, once.")
        .def("join", &join, "The GPU waits for these handles; those joined already are left out.")
        .def(
            "mark",
            [](RankDevice& self, int stream) {
                const Stream checked = stream_numbered(stream);
                const Handle handle = without_lock([&] { return self.device.mark(checked); });
                return std::make_shared<RankHandle>(RankHandle{.gpu = self.gpu, .handle = handle});
            },
            py::arg("stream"),
            "Where the GPU is when it has done all it was handed, for others to wait for; on a stream of its own.")
        .def(
            "join_time",
            [](RankDevice& self, std::int64_t at) {
                const Duration time = picoseconds_of(at, "a join");
                without_lock([&] { self.device.join(time); });
            },
            py::arg("picoseconds"), "The GPU waits until a time.")
        .def("take", &take, py::arg("handle"),
             "What each member brought, in the order of the group: read-only views, valid until the next call of this "
             "rank. The handle must be joined.")
        .def(
            "now", [](RankDevice& self) { return without_lock([&] { return self.device.now(); }).count(); },
            "Where the GPU is.")
        .def(
            "synchronize",
            [](RankDevice& self) { return without_lock([&] { return self.device.synchronize(); }).count(); },
            "The host waits for the GPU; returns its clock.")
        .def(
            "flush", [](RankDevice& self) { without_lock([&] { self.device.flush(); }); },
            "Hand over what was launched, before a call of GPU itself.");
}

}  // namespace sim::python
