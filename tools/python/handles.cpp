// Handles of asynchronous ops, and the blocks that run on a stream.
#include "libsim/error.hpp"
#include "tools/python/bindings.hpp"

#include <fmt/format.h>

namespace sim::python {

namespace py = pybind11;

const Handle& RankHandle::still_open() const {
    if (!handle) {
        throw ProgramError("this handle belongs to a block that has not ended yet: wait for it after the block");
    }
    if (joined) {
        throw ProgramError("this handle has been waited for already: an operation can be joined only once");
    }
    return *handle;
}

py::object RankHandle::wait() {
    const Handle& open = still_open();
    without_lock([&] { gpu->wait(open); });
    joined = true;
    const std::shared_ptr<Buffer> filled = std::move(into);
    return filled ? filled->owner() : py::none();
}

bool RankHandle::test() {
    const Handle& open = still_open();
    joined = without_lock([&] { return gpu->test(open); });
    if (joined) {
        into.reset();
    }
    return joined;
}

namespace {

std::size_t wait_any(const RankGPU& self, const py::args& handles) {
    std::vector<RankHandle*> all;
    std::vector<Handle> open;
    for (const py::handle& handle : handles) {
        all.push_back(handle.cast<RankHandle*>());
        open.push_back(all.back()->still_open());
    }
    const std::size_t first = without_lock([&] { return self.gpu->wait_any(open); });
    all[first]->joined = true;
    all[first]->into.reset();
    return first;
}

// `with gpu.on(1) as handle:` …
class StreamBlock {
public:
    StreamBlock(GPU& gpu, Stream stream) : gpu_(&gpu), stream_(stream) {}

    std::shared_ptr<RankHandle> enter() {
        if (handle_) {
            throw ProgramError("a block on a stream can be entered only once; call on() for each block");
        }
        before_ = gpu_->begin_on(stream_);
        handle_ = std::make_shared<RankHandle>(RankHandle{.gpu = gpu_});
        return handle_;
    }
    void leave() { handle_->handle = gpu_->end_on(before_); }

private:
    GPU* gpu_;
    Stream stream_;
    Stream before_ = Stream::main;
    std::shared_ptr<RankHandle> handle_;
};

}  // namespace

Stream stream_numbered(int number) {
    if (number < 1 || number > most_streams) {
        throw ProgramError(fmt::format("a stream beside the program must be 1 to {}, not {}", most_streams, number));
    }
    return static_cast<Stream>(number);
}

void bind_streams(py::module_& module, GpuClass& gpu) {
    py::class_<RankHandle, std::shared_ptr<RankHandle>>(module, "Handle",
                                                        "An asynchronous operation in flight; join it once.")
        .def("wait", &RankHandle::wait,
             "Wait until the operation completes in simulated time; returns the array that it received, if any.")
        .def("test", &RankHandle::test, "Return whether the operation has completed; if so, join it, as wait() does.")
        .def_property_readonly(
            "joined", [](const RankHandle& self) { return self.joined; }, "Whether it has been joined.");
    py::class_<StreamBlock>(module, "StreamBlock", "A block whose communication runs on a stream (GPU.on).")
        .def("__enter__", &StreamBlock::enter)
        .def("__exit__", [](StreamBlock& self, const py::args&) { self.leave(); });
    gpu.def(
        "on", [](const RankGPU& self, int stream) { return StreamBlock(*self.gpu, stream_numbered(stream)); },
        py::arg("stream"),
        "Return a block whose sends, receives, waits and collectives run on a stream, beside the program.\n\n"
        "`with gpu.on(1) as handle:` gives the handle of everything the block started. The data is available when the "
        "block ends, and in simulated time after handle.wait(). Both ends of a message and all members of a "
        "collective must use the same stream. A GPU computes only in its main program.");
    gpu.def(
        "wait",
        [](const RankGPU&, const py::args& handles) {
            py::list received;
            for (const py::handle& handle : handles) {
                received.append(handle.cast<RankHandle&>().wait());
            }
            return received.size() == 1 ? py::object(received[0]) : py::object(received);
        },
        "Wait for handles, one after another, and return what each received: an array or None for one handle, "
        "a list for several.");
    gpu.def("wait_any", &wait_any,
            "Wait for the first of several handles to complete, in a tie the first argument, and return its "
            "index: it is joined, and its data is in its array.");
    gpu.def(
        "test", [](const RankGPU&, RankHandle& handle) { return handle.test(); }, py::arg("handle"),
        "Return whether an asynchronous operation has completed; if so, join it, as wait() does.");
}

}  // namespace sim::python
