// Collectives of Python ranks: by size alone, or in place on the elements of an array.
#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/all_to_all.hpp"
#include "libsim/collectives/barrier.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "libsim/collectives/gather.hpp"
#include "libsim/collectives/reduce.hpp"
#include "libsim/collectives/reduce_scatter.hpp"
#include "libsim/collectives/scatter.hpp"
#include "libsim/collectives/whole.hpp"
#include "tools/python/amounts.hpp"
#include "tools/python/bindings.hpp"
#include "tools/python/collective_terms.hpp"
#include "tools/python/elements.hpp"

#include <pybind11/stl.h>

namespace sim::python {

namespace py = pybind11;

namespace {

// This rank's chunk of its own array.
py::object own_chunk(const Buffer& buffer, const CollectiveTerms& terms, int rank) {
    const ChunkRange own = chunk_range(buffer.count(), terms.group.size(), terms.group.index_of(rank));
    return elements_of_owner(buffer, own.begin, own.end);
}

Collective whole_of(const CollectiveTerms& t) {
    return {.kind = t.kind, .root = t.root, .reduction = t.reduction, .config = t.config};
}

void add_up(GPU& gpu, const Buffer& buffer, const CollectiveTerms& t) {
    with_numbers(buffer, t.name, [&](auto numbers) {
        without_lock([&] {
            if (t.whole) {
                return as_a_whole(gpu, t.group, numbers, whole_of(t), t.size);
            }
            switch (t.kind) {
                case CollectiveKind::all_reduce:
                    return all_reduce(gpu, t.group, numbers, t.size, t.reduction, t.config);
                case CollectiveKind::reduce:
                    return reduce(gpu, t.group, t.root, numbers, t.size, t.reduction, t.config);
                default: reduce_scatter(gpu, t.group, numbers, t.size, t.reduction, t.config);
            }
        });
    });
}

void move(GPU& gpu, const Buffer& buffer, const CollectiveTerms& t) {
    with_elements(buffer, t.name, [&](auto elements) {
        without_lock([&] {
            if (t.whole) {
                return as_a_whole(gpu, t.group, elements, whole_of(t), t.size);
            }
            switch (t.kind) {
                case CollectiveKind::all_gather: return all_gather(gpu, t.group, elements, t.size, t.config);
                case CollectiveKind::broadcast: return broadcast(gpu, t.group, t.root, elements, t.size, t.config);
                case CollectiveKind::gather: return gather(gpu, t.group, t.root, elements, t.size, t.config);
                case CollectiveKind::all_to_all: return all_to_all(gpu, t.group, elements, t.size, t.config);
                default: scatter(gpu, t.group, t.root, elements, t.size, t.config);
            }
        });
    });
}

// The array; for collectives that leave a chunk on each rank, this rank's chunk; None without data.
py::object carry_out_in_python(GPU& gpu, const py::object& data, const CollectiveTerms& terms) {
    if (data.is_none()) {
        const Size size = size_of(terms);
        without_lock([&] {
            gpu.collective(terms.group, {.kind = terms.kind,
                                         .size = size,
                                         .root = terms.root,
                                         .reduction = terms.reduction,
                                         .config = terms.config});
        });
        return py::none();
    }
    const Buffer buffer(data, Access::write, terms.name);
    (adds_up(terms.kind) ? add_up : move)(gpu, buffer, terms);
    return leaves_chunks(terms.kind) ? own_chunk(buffer, terms, gpu.rank()) : data;
}

// Charged by the bytes of each part. Returns what each member sent, in member order.
py::list all_to_all_v_of(const RankGPU& self, const py::list& parts, const std::optional<double>& units,
                         const std::optional<double>& bytes, const std::optional<Group>& group) {
    const Size total = size_needed("all_to_all_v", units, bytes);
    std::vector<std::vector<std::byte>> out;
    for (const py::handle& part : parts) {
        const Buffer buffer(py::reinterpret_borrow<py::object>(part), Access::read, "all_to_all_v");
        out.emplace_back(buffer.bytes().begin(), buffer.bytes().end());
    }
    const Group members = group.value_or(world(*self.gpu));
    const auto came = without_lock([&] { return all_to_all_v(*self.gpu, members, std::move(out), total); });
    py::list received;
    for (const std::vector<std::byte>& part : came) {
        received.append(py::bytes(reinterpret_cast<const char*>(part.data()), part.size()));
    }
    return received;
}

using Amount = std::optional<double>;
using Members = std::optional<Group>;
using Text = std::string;

// Parameters that all kinds take.
struct Common {
    Amount units;
    Amount bytes;
    Members group;
    bool whole;
};

template <CollectiveKind kind>
py::object carry(const char* name, const RankGPU& self, const py::object& data, const Common& common, int root,
                 const Text& reduction, const AlgorithmWords& algorithm) {
    const CollectiveTerms terms{.name = name,
                                .kind = kind,
                                .group = common.group.value_or(world(*self.gpu)),
                                .size = size_given(common.units, common.bytes),
                                .root = root,
                                .reduction = reduction_named(reduction),
                                .config = config_of(kind, algorithm),
                                .whole = common.whole};
    return carry_out_in_python(*self.gpu, data, terms);
}

// Binds `function`, whose parameters are `first` followed by those that all kinds take.
template <class Function, class... More>
void bind_with(GpuClass& gpu, const char* name, const char* doc, const Function& function, const More&... first) {
    const py::arg_v none_units = py::arg("units") = py::none();
    const py::arg_v none_bytes = py::arg("bytes") = py::none();
    const py::arg_v none_group = py::arg("group") = py::none();
    gpu.def(name, function, first..., none_units, none_bytes, none_group, py::arg("whole") = false,
            py::arg("algorithm") = "", py::arg("channels") = 1, py::arg("pieces") = 0, py::arg("inner") = 0,
            py::arg("middle") = 0, doc);
}

// The kind determines whether its Python signature has a root and a reduction.
template <CollectiveKind kind>
void bind_kind(GpuClass& gpu, const char* name, const char* doc) {
    const auto data = py::arg("data") = py::none();
    const auto reduction = py::arg("reduction") = "sum";
    if constexpr (adds_up(kind) && needs_root(kind)) {
        const auto call = [name](const RankGPU& self, int root, const py::object& x, const Text& r, const Amount& u,
                                 const Amount& b, const Members& g, bool w, const Text& a, int c, int p, int i, int m) {
            return carry<kind>(name, self, x, {u, b, g, w}, root, r, {a, c, p, i, m});
        };
        bind_with(gpu, name, doc, call, py::arg("root"), data, py::kw_only(), reduction);
    } else if constexpr (adds_up(kind)) {
        const auto call = [name](const RankGPU& self, const py::object& x, const Text& r, const Amount& u,
                                 const Amount& b, const Members& g, bool w, const Text& a, int c, int p, int i, int m) {
            return carry<kind>(name, self, x, {u, b, g, w}, -1, r, {a, c, p, i, m});
        };
        bind_with(gpu, name, doc, call, data, py::kw_only(), reduction);
    } else if constexpr (needs_root(kind)) {
        const auto call = [name](const RankGPU& self, int root, const py::object& x, const Amount& u, const Amount& b,
                                 const Members& g, bool w, const Text& a, int c, int p, int i, int m) {
            return carry<kind>(name, self, x, {u, b, g, w}, root, "sum", {a, c, p, i, m});
        };
        bind_with(gpu, name, doc, call, py::arg("root"), data, py::kw_only());
    } else {
        const auto call = [name](const RankGPU& self, const py::object& x, const Amount& u, const Amount& b,
                                 const Members& g, bool w, const Text& a, int c, int p, int i, int m) {
            return carry<kind>(name, self, x, {u, b, g, w}, -1, "sum", {a, c, p, i, m});
        };
        bind_with(gpu, name, doc, call, data, py::kw_only());
    }
}

}  // namespace

void bind_collectives(GpuClass& gpu) {
    bind_kind<CollectiveKind::all_reduce>(
        gpu, "all_reduce",
        "Leaves the sum (average, max) of all members' arrays on every member, in place. Returns the array.");
    bind_kind<CollectiveKind::all_gather>(
        gpu, "all_gather",
        "Member i starts with chunk i of its array filled, and every member ends with all chunks. Returns the array.");
    bind_kind<CollectiveKind::reduce_scatter>(
        gpu, "reduce_scatter",
        "Leaves chunk i of the sum of all members' arrays on member i: a view of its array, which is overwritten.");
    bind_kind<CollectiveKind::broadcast>(gpu, "broadcast",
                                         "Leaves the root's array on every member. Returns the array.");
    bind_kind<CollectiveKind::reduce>(
        gpu, "reduce",
        "Leaves the sum (average, max) of all members' arrays on the root; the other arrays are overwritten.");
    bind_kind<CollectiveKind::gather>(
        gpu, "gather", "Member i starts with chunk i of its array filled, and the root ends with all chunks.");
    bind_kind<CollectiveKind::scatter>(
        gpu, "scatter", "The root starts with all chunks, and member i ends with chunk i: a view of its array.");
    bind_kind<CollectiveKind::all_to_all>(
        gpu, "all_to_all", "Chunk j of member i becomes chunk i of member j, in place. Returns the array.");
    gpu.def("all_to_all_v", &all_to_all_v_of, py::arg("parts"), py::kw_only(), py::arg("units") = py::none(),
            py::arg("bytes") = py::none(), py::arg("group") = py::none(),
            "parts[i] goes to member i; returns what each member sent, as bytes. Parts may have any length; each "
            "message is charged an equal share of the total in units= or bytes=.");
    gpu.def(
        "barrier",
        [](const RankGPU& self, const std::optional<Group>& group) {
            const Group members = group.value_or(world(*self.gpu));
            without_lock([&] { barrier(*self.gpu, members); });
        },
        py::arg("group") = py::none(), "Return when every member has arrived.");
}

}  // namespace sim::python
