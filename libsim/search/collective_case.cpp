#include "libsim/search/collective_case.hpp"

#include "libsim/collectives/data_reader.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/network/bus_bandwidth.hpp"

#include <fmt/format.h>

namespace sim::search {

namespace {

// The result of a send and receive is that of a broadcast whose root is the previous rank.
CollectiveKind shown_kind(const CollectiveCase& what) {
    return what.send_receive ? CollectiveKind::broadcast : what.kind;
}

// Small whole numbers, different on every rank: floats add them up exactly, in whatever order an algorithm does.
float input(int rank, std::size_t i) {
    return static_cast<float>(i % 13 + static_cast<std::size_t>(rank));
}

float sum_of_inputs(int ranks, std::size_t i) {
    const auto n = static_cast<std::size_t>(ranks);
    return static_cast<float>(n * (i % 13) + n * (n - 1) / 2);
}

// The value that rank `self` should hold at `i` in the end.
float expected(const CollectiveCase& what, int self, std::size_t i) {
    const auto chunk = static_cast<std::size_t>(what.elements / what.ranks);
    switch (shown_kind(what)) {
        case CollectiveKind::all_reduce:
        case CollectiveKind::reduce:
        case CollectiveKind::reduce_scatter: return sum_of_inputs(what.ranks, i);
        case CollectiveKind::all_gather:
        case CollectiveKind::gather: return input(static_cast<int>(i / chunk), i);
        case CollectiveKind::all_to_all:
            return input(static_cast<int>(i / chunk), static_cast<std::size_t>(self) * chunk + i % chunk);
        default: return input(what.send_receive ? (self + what.ranks - 1) % what.ranks : what.root, i);
    }
}

// The part of the array that rank `self` holds in the end.
ChunkRange result_of(const CollectiveCase& what, int self) {
    const auto elements = static_cast<std::size_t>(what.elements);
    switch (shown_kind(what)) {
        case CollectiveKind::reduce_scatter:
        case CollectiveKind::scatter: return chunk_range(elements, what.ranks, self);
        case CollectiveKind::reduce:
        case CollectiveKind::gather: return {0, self == what.root ? elements : 0};
        default: return {0, elements};
    }
}

// The input has no numbers yet where this rank is to receive them from others.
std::vector<float> input_of(const CollectiveCase& what, int self) {
    const auto elements = static_cast<std::size_t>(what.elements);
    const CollectiveKind kind = shown_kind(what);
    const bool own_chunk_only = kind == CollectiveKind::all_gather || kind == CollectiveKind::gather;
    const bool root_only = !what.send_receive && (kind == CollectiveKind::broadcast || kind == CollectiveKind::scatter);
    const ChunkRange own = own_chunk_only ? chunk_range(elements, what.ranks, self)
                                          : ChunkRange{0, root_only && self != what.root ? 0 : elements};
    std::vector<float> data(elements, -1);
    for (std::size_t i = own.begin; i < own.end; ++i) {
        data[i] = input(self, i);
    }
    return data;
}

// Every rank sends to the next one, in a single step.
Step to_the_next(const Schedule& schedule, int /*channel*/, int member, int /*step*/) {
    const int n = schedule.members;
    return {.to = (member + 1) % n, .send = {0}, .from = (member + n - 1) % n, .receive = {0}};
}

}  // namespace

const std::vector<CollectiveKind>& profiled_kinds() {
    static const std::vector<CollectiveKind> kinds{CollectiveKind::all_reduce,     CollectiveKind::all_gather,
                                                   CollectiveKind::reduce_scatter, CollectiveKind::broadcast,
                                                   CollectiveKind::reduce,         CollectiveKind::gather,
                                                   CollectiveKind::scatter,        CollectiveKind::all_to_all};
    return kinds;
}

bool is_made_of_chunks(CollectiveKind kind) {
    return kind != CollectiveKind::all_reduce && kind != CollectiveKind::broadcast && kind != CollectiveKind::reduce;
}

const std::vector<ElementType>& element_types() {
    static const std::vector<ElementType> types{{"int8", 1},   {"uint8", 1},    {"int32", 4},    {"uint32", 4},
                                                {"int64", 8},  {"uint64", 8},   {"half", 2},     {"float", 4},
                                                {"double", 8}, {"bfloat16", 2}, {"fp8_e4m3", 1}, {"fp8_e5m2", 1}};
    return types;
}

const char* CollectiveCase::name() const {
    return send_receive ? "send-receive" : name_of(kind);
}

Schedule CollectiveCase::schedule() const {
    if (send_receive) {
        return {.kind = CollectiveKind::broadcast,
                .members = ranks,
                .config = Algorithm::direct,
                .steps = ranks > 1 ? 1 : 0,
                .sends = SentData::input,
                .at = to_the_next};
    }
    return schedule_of(kind, config, ranks, root);
}

std::int64_t CollectiveCase::count() const {
    return !send_receive && is_made_of_chunks(kind) ? elements / ranks : elements;
}

bool CollectiveCase::reduces() const {
    return !send_receive && (kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce ||
                             kind == CollectiveKind::reduce_scatter);
}

double CollectiveCase::bus_factor() const {
    return send_receive ? 1 : sim::bus_factor(kind, ranks);
}

CollectiveCase collective_case(CollectiveKind kind, const AlgorithmConfig& config, std::int64_t elements, int ranks) {
    const std::int64_t kept = is_made_of_chunks(kind) ? elements / ranks * ranks : elements;
    if (kept == 0) {
        throw config::UsageError(
            fmt::format("--sizes {} leaves some of {} ranks without a number; {} needs at least {}", elements, ranks,
                        name_of(kind), ranks));
    }
    return {.kind = kind, .config = config, .elements = kept, .ranks = ranks};
}

void run_by_size(GPU& gpu, const CollectiveCase& what) {
    gpu.collective(world(gpu), {.kind = what.kind,
                                .size = Bytes{what.bytes()},
                                .root = what.has_root() ? what.root : -1,
                                .config = what.config});
}

void run_messages(GPU& gpu, const CollectiveCase& what, const Schedule& schedule) {
    execute(gpu, world(gpu), schedule, Bytes{what.bytes()}, what.name());
}

std::int64_t run_with_data(GPU& gpu, const CollectiveCase& what, const Schedule& schedule) {
    std::vector<float> data = input_of(what, gpu.rank());
    execute(gpu, world(gpu), schedule, Bytes{what.bytes()}, what.name(), elements_of(std::span(data), Reduction::sum));
    const ChunkRange result = result_of(what, gpu.rank());
    std::int64_t wrong = 0;
    for (std::size_t i = result.begin; i < result.end; ++i) {
        wrong += data[i] == expected(what, gpu.rank(), i) ? 0 : 1;
    }
    return wrong;
}

}  // namespace sim::search
