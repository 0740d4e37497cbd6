// torch.cuda.memory._record_memory_history: PyTorch's own allocator keeps the history, with the lines of Python that
// requested the memory. Its arguments have grown with each version, so there is one form per version.
#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/csrc/profiler/combined_traceback.h>

#include <optional>
#include <string>
#include <vector>

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
using allocator::RecordContext;
using Names = std::vector<std::string>;
using Text = std::optional<std::string>;

struct History {
    bool is_on = false;
    bool with_cpp = false;
    std::size_t most_entries = 1;
    RecordContext when = RecordContext::NEVER;
    bool begins_anew = false;
    Names left_out = {};
};

std::shared_ptr<c10::GatheredContext> lines_of_python() {
    return torch::CapturedTraceback::gather(true, true, false);
}

std::shared_ptr<c10::GatheredContext> lines_of_all() {
    return torch::CapturedTraceback::gather(true, true, true);
}

// A template, so that only this PyTorch's form is compiled.
template <class Allocator>
void record(Allocator& own, const History& what) {
    const auto lines = what.is_on && what.with_cpp ? lines_of_all : lines_of_python;
    if constexpr (requires {
                      own.recordHistory(what.is_on, lines, what.most_entries, what.when, what.begins_anew,
                                        what.left_out);
                  }) {
        own.recordHistory(what.is_on, lines, what.most_entries, what.when, what.begins_anew, what.left_out);
    } else if constexpr (requires {
                             own.recordHistory(what.is_on, lines, what.most_entries, what.when, what.begins_anew);
                         }) {
        own.recordHistory(what.is_on, lines, what.most_entries, what.when, what.begins_anew);
    } else {
        own.recordHistory(what.is_on, lines, what.most_entries, what.when);
    }
}

void record(const History& what) {
    // Initializes CUDA, and with it the allocator.
    at::globalContext().getAcceleratorHooksInterface(at::kCUDA).init();
    record(*allocator::get(), what);
}

History history(bool is_on, bool with_state, std::int64_t most, bool with_allocations, bool with_cpp) {
    const RecordContext when =
        with_allocations ? RecordContext::ALLOC : (with_state ? RecordContext::STATE : RecordContext::NEVER);
    return {is_on, with_cpp, static_cast<std::size_t>(most), when};
}

RecordContext context_named(const Text& name) {
    if (!name) {
        return RecordContext::NEVER;
    }
    if (*name == "all") {
        return RecordContext::ALL;
    }
    TORCH_CHECK(*name == "alloc" || *name == "state", "expected context to be 'state', 'alloc', 'all', or None");
    return *name == "alloc" ? RecordContext::ALLOC : RecordContext::STATE;
}

History history(const Text& enabled, const Text& context, const std::string& stacks, std::size_t most) {
    TORCH_CHECK(!enabled || *enabled == "state" || *enabled == "all", "expected state to be 'state', 'all', or None");
    TORCH_CHECK(stacks == "python" || stacks == "all", "expected stacks to be 'python', or 'all'");
    return {enabled.has_value(), stacks == "all", enabled == "all" ? most : 1, context_named(context)};
}

History with(History what, bool begins_anew, const Names& left_out = {}) {
    what.begins_anew = begins_anew;
    what.left_out = left_out;
    return what;
}

}  // namespace

namespace torch::cuda {

// 2.6
void _record_memory_history(bool on, bool state, std::int64_t most, bool allocations, bool cpp) {
    record(history(on, state, most, allocations, cpp));
}
void _record_memory_history(Text enabled, Text context, const std::string& stacks, std::size_t most) {
    record(history(enabled, context, stacks, most));
}

// 2.8: clearing the history, and arguments for compiled regions and annotations
void _record_memory_history(bool on, bool state, std::int64_t most, bool allocations, bool cpp, bool anew, bool, bool) {
    record(with(history(on, state, most, allocations, cpp), anew));
}
void _record_memory_history(Text enabled, Text context, const std::string& stacks, std::size_t most, bool anew, bool,
                            bool) {
    record(with(history(enabled, context, stacks, most), anew));
}

// 2.10: actions to skip
void _record_memory_history(bool on, bool state, std::int64_t most, bool allocations, bool cpp, bool anew, bool, bool,
                            const Names& left_out) {
    record(with(history(on, state, most, allocations, cpp), anew, left_out));
}
void _record_memory_history(Text enabled, Text context, const std::string& stacks, std::size_t most, bool anew, bool,
                            bool, const Names& left_out) {
    record(with(history(enabled, context, stacks, most), anew, left_out));
}

// 2.14: histories of pinned host memory, which is not recorded here, and of device memory
void _record_memory_history(bool on, bool state, std::int64_t most, bool allocations, bool cpp, bool anew, bool, bool,
                            const Names& left_out, bool, bool) {
    record(with(history(on, state, most, allocations, cpp), anew, left_out));
}
void _record_memory_history(Text enabled, Text context, const std::string& stacks, std::size_t most, bool anew, bool,
                            bool, const Names& left_out, bool, bool) {
    record(with(history(enabled, context, stacks, most), anew, left_out));
}

}  // namespace torch::cuda
