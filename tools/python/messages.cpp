// Messages of Python ranks, by size alone or with the memory of any buffer, and probing for them.
#include "libsim/error.hpp"
#include "tools/python/amounts.hpp"
#include "tools/python/bindings.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

namespace sim::python {

namespace py = pybind11;

namespace {

using Amount = std::optional<double>;

// All of a message except its peer.
struct Terms {
    std::string_view label;
    std::optional<Size> size;
    Tag tag;
};

Terms terms(std::string_view label, Amount units, Amount bytes, int tag) {
    return {label, size_given(units, bytes), static_cast<Tag>(tag)};
}

Size size_of(const Terms& terms, const char* what) {
    if (!terms.size) {
        throw ProgramError(fmt::format("{} needs data, or a size: units= or bytes=", what));
    }
    return *terms.size;
}

void send(const RankGPU& self, int target, const py::object& data, std::string_view label, Amount units, Amount bytes,
          int tag) {
    const Terms of = terms(label, units, bytes, tag);
    if (data.is_none()) {
        const Size size = size_of(of, "send");
        return without_lock([&] { self.gpu->send(target, of.label, size, of.tag); });
    }
    const Buffer buffer(data, Access::read, "send");
    without_lock([&] { self.gpu->send(target, buffer.bytes(), of.label, of.size, of.tag); });
}

std::shared_ptr<RankHandle> send_async(const RankGPU& self, int target, const py::object& data, std::string_view label,
                                       Amount units, Amount bytes, int tag) {
    const Terms of = terms(label, units, bytes, tag);
    RankHandle started{.gpu = self.gpu};
    if (data.is_none()) {
        const Size size = size_of(of, "send_async");
        started.handle = without_lock([&] { return self.gpu->send_async(target, of.label, size, of.tag); });
    } else {
        const Buffer buffer(data, Access::read, "send_async");
        started.handle =
            without_lock([&] { return self.gpu->send_async(target, buffer.bytes(), of.label, of.size, of.tag); });
    }
    return std::make_shared<RankHandle>(std::move(started));
}

// Returns bytes, or a writable array of `dtype`.
py::object as_python(const std::vector<std::byte>& data, const py::object& dtype) {
    const auto* const text = reinterpret_cast<const char*>(data.data());
    if (dtype.is_none()) {
        return py::bytes(text, data.size());
    }
    const py::module_ numpy = py::module_::import("numpy");
    const auto element = numpy.attr("dtype")(dtype).attr("itemsize").cast<std::size_t>();
    if (element == 0 || data.size() % element != 0) {
        throw ProgramError(
            fmt::format("receive wanted elements of {} B, and the message has {} B", element, data.size()));
    }
    return numpy.attr("frombuffer")(py::bytearray(text, data.size()), dtype);
}

// Returns the array that was filled; the data sent, if the caller gives no length; None for a message without data.
py::object receive_from(GPU& gpu, int source, const py::object& into, const Terms& of, const py::object& dtype) {
    if (!into.is_none()) {
        const Buffer buffer(into, Access::write, "receive");
        without_lock([&] { gpu.receive(source, buffer.bytes(), of.label, of.size, of.tag); });
        return into;
    }
    if (of.size && dtype.is_none()) {
        without_lock([&] { gpu.receive(source, of.label, *of.size, of.tag); });
        return py::none();
    }
    const auto data = without_lock([&] { return gpu.receive<std::byte>(source, of.label, of.size, of.tag); });
    return as_python(data, dtype);
}

py::object receive(const RankGPU& self, const std::optional<int>& source, const py::object& into,
                   std::string_view label, Amount units, Amount bytes, int tag, const py::object& dtype) {
    Terms of = terms(label, units, bytes, tag);
    if (source) {
        return receive_from(*self.gpu, *source, into, of, dtype);
    }
    const Arrival found = without_lock([&] { return self.gpu->probe(any_source, of.tag); });
    if (found.bytes == 0 && into.is_none() && dtype.is_none()) {
        of.size = of.size.value_or(found.size);
    }
    py::object data = receive_from(*self.gpu, found.source, into, of, dtype);
    return py::make_tuple(std::move(data), found.source);
}

std::shared_ptr<RankHandle> receive_async(const RankGPU& self, int source, const py::object& into,
                                          std::string_view label, Amount units, Amount bytes, int tag) {
    const Terms of = terms(label, units, bytes, tag);
    RankHandle started{.gpu = self.gpu};
    if (into.is_none()) {
        const Size size = size_of(of, "receive_async");
        started.handle = without_lock([&] { return self.gpu->receive_async(source, of.label, size, of.tag); });
    } else {
        started.into = std::make_shared<Buffer>(into, Access::write, "receive_async");
        started.handle = without_lock(
            [&] { return self.gpu->receive_async(source, started.into->bytes(), of.label, of.size, of.tag); });
    }
    return std::make_shared<RankHandle>(std::move(started));
}

Arrival probe(const RankGPU& self, const std::optional<int>& source, int tag) {
    return without_lock([&] { return self.gpu->probe(source.value_or(any_source), static_cast<Tag>(tag)); });
}

std::optional<Arrival> probe_for(const RankGPU& self, double seconds, const std::optional<int>& source, int tag) {
    const Duration timeout = duration_of("probe_for", seconds);
    return without_lock(
        [&] { return self.gpu->probe_for(timeout, source.value_or(any_source), static_cast<Tag>(tag)); });
}

std::optional<Arrival> probe_now(const RankGPU& self, const std::optional<int>& source, int tag) {
    return without_lock([&] { return self.gpu->probe_now(source.value_or(any_source), static_cast<Tag>(tag)); });
}

Amount units_of(const Arrival& arrival) {
    return arrival.size.measure == Measure::units ? Amount(Units::from_billionths(arrival.size.amount).value())
                                                  : std::nullopt;
}

std::optional<std::int64_t> bytes_of(const Arrival& arrival) {
    return arrival.size.measure == Measure::bytes ? std::optional(arrival.size.amount) : std::nullopt;
}

void bind_arrival(py::module_& module) {
    py::class_<Arrival>(module, "Arrival", "A message that has arrived at a rank but is not received yet.")
        .def_readonly("source", &Arrival::source, "The rank that sent it.")
        .def_readonly("tag", &Arrival::tag, "Its tag.")
        .def_property_readonly(
            "data_bytes", [](const Arrival& self) { return self.bytes; }, "Its bytes of data; 0 if only time is sent.")
        .def_property_readonly("units", &units_of, "Its size in units; None if it is priced by bytes.")
        .def_property_readonly("bytes", &bytes_of, "Its size in bytes; None if it is priced by units.")
        .def("__repr__", [](const Arrival& self) {
            return fmt::format("<ndsim.Arrival: from rank {}, tag {}, {} B of data>", self.source, self.tag,
                               self.bytes);
        });
}

}  // namespace

void bind_messages(py::module_& module, GpuClass& gpu) {
    bind_arrival(module);
    const auto label = py::arg("label") = "";
    const auto units = py::arg("units") = py::none();
    const auto bytes = py::arg("bytes") = py::none();
    const auto tag = py::arg("tag") = 0;
    gpu.def("send", &send, py::arg("target"), py::arg("data") = py::none(), py::kw_only(), label, units, bytes, tag,
            "Send a message: a size alone, or the contents of an array, which really arrive.\n\n"
            "It is charged for units= or bytes=, by default the bytes of the data, and does not wait for the receiver.")
        .def("send_async", &send_async, py::arg("target"), py::arg("data") = py::none(), py::kw_only(), label, units,
             bytes, tag, "Like send(), but asynchronous. The data is copied, so it may change at once.")
        .def("receive", &receive, py::arg("source") = py::none(), py::arg("into") = py::none(), py::kw_only(), label,
             units, bytes, tag, py::arg("dtype") = py::none(),
             "Wait for a message and receive it.\n\n"
             "With `into`, fill that array and return it. With a size alone, receive a message that is a size alone. "
             "With neither, return whatever was sent, as bytes or as a NumPy array of `dtype`. Without a "
             "source, receive the first message from any rank and return (data, source).")
        .def("receive_async", &receive_async, py::arg("source"), py::arg("into") = py::none(), py::kw_only(), label,
             units, bytes, tag, "Like receive(), but asynchronous: wait() fills the array.")
        .def("probe", &probe, py::arg("source") = py::none(), py::kw_only(), tag,
             "Wait until a message from `source`, or from any rank, has arrived, without receiving it.")
        .def("probe_for", &probe_for, py::arg("seconds"), py::arg("source") = py::none(), py::kw_only(), tag,
             "Like probe(), for at most this many simulated seconds; None if nothing has arrived by then.")
        .def("probe_now", &probe_now, py::arg("source") = py::none(), py::kw_only(), tag,
             "The message that has arrived by now, if any; else None.");
}

}  // namespace sim::python
