// Handles of asynchronous ops, and the blocks that run on a stream.
#include "libsim/error.hpp"
#include "tools/python/bindings.hpp"

#include <fmt/format.h>

namespace sim::python {

namespace py = pybind11;

const Handle& RankHandle::still_open() const {
    if (!handle) {
        throw ProgramError("this handle is that of a block which has not ended yet: wait for it below the block");
    }
    if (joined) {
        throw ProgramError("this handle has been waited for already: an operation is joined once");
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
            throw ProgramError("a block on a stream is entered once; call on() for each");
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
                                                        "An asynchronous operation under way, to be joined once.")
        .def("wait", &RankHandle::wait,
             "Return when the operation has ended in simulated time, with the array that it received, if any.")
        .def("test", &RankHandle::test,
             "Return whether the operation has ended by now; if so, it is joined, as by wait().")
        .def_property_readonly(
            "joined", [](const RankHandle& self) { return self.joined; }, "Whether it has been joined.");
    py::class_<StreamBlock>(module, "StreamBlock", "What GPU.on() returns: a block whose communication is a stream's.")
        .def("__enter__", &StreamBlock::enter)
        .def("__exit__", [](StreamBlock& self, const py::args&) { self.leave(); });
    gpu.def(
        "on", [](const RankGPU& self, int stream) { return StreamBlock(*self.gpu, stream_numbered(stream)); },
        py::arg("stream"),
        "A block whose sends, receives, waits and collectives run on a stream, beside the program.\n\n"
        "`with gpu.on(1) as handle:` gives the handle of all that the block has started. The numbers are there when "
        "the "
        "block ends; in simulated time they are there after handle.wait(). Both ends of a message and all members of a "
        "collective name the same stream. A GPU computes in its program only.");
    gpu.def(
        "wait",
        [](const RankGPU&, const py::args& handles) {
            py::list received;
            for (const py::handle& handle : handles) {
                received.append(handle.cast<RankHandle&>().wait());
            }
            return received.size() == 1 ? py::object(received[0]) : py::object(received);
        },
        "Wait for handles, one after another, and return what each received: of one handle its array or None, of "
        "several a list.");
    gpu.def("wait_any", &wait_any,
            "Wait for the first of several handles, of several at one time for the one named first, and return its "
            "index: it is joined, and what it receives is in its array.");
    gpu.def(
        "test", [](const RankGPU&, RankHandle& handle) { return handle.test(); }, py::arg("handle"),
        "Return whether an asynchronous operation has ended by now; if so, it is joined, as by wait().");
}

}  // namespace sim::python
