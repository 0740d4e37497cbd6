#include "libsim/op.hpp"

namespace sim {

const char* name_of(OpKind kind) {
    switch (kind) {
        case OpKind::compute: return "compute";
        case OpKind::send: return "send";
        case OpKind::receive: return "receive";
        case OpKind::wait: return "wait";
        case OpKind::record: return "record";
        case OpKind::allocate: return "allocate";
        case OpKind::collective: return "collective";
        case OpKind::enter: return "enter";
        case OpKind::bring: return "bring";
        case OpKind::take: return "take";
        case OpKind::idle: return "idle";
        case OpKind::issue: return "issue";
        case OpKind::log: return "log";
        case OpKind::checkpoint: return "checkpoint";
        case OpKind::look: return "look";
        case OpKind::test: return "test";
        case OpKind::start: return "start";
        case OpKind::fetch: return "fetch";
        case OpKind::forget: return "forget";
        case OpKind::now: return "now";
        case OpKind::finish: return "finish";
    }
    return "?";
}

const char* name_of(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::barrier: return "barrier";
        case CollectiveKind::broadcast: return "broadcast";
        case CollectiveKind::all_gather: return "all-gather";
        case CollectiveKind::reduce_scatter: return "reduce-scatter";
        case CollectiveKind::all_reduce: return "all-reduce";
        case CollectiveKind::reduce: return "reduce";
        case CollectiveKind::gather: return "gather";
        case CollectiveKind::scatter: return "scatter";
        case CollectiveKind::all_to_all: return "all-to-all";
    }
    return "?";
}

const char* name_of(Reduction reduction) {
    switch (reduction) {
        case Reduction::sum: return "sum";
        case Reduction::average: return "average";
        case Reduction::max: return "max";
    }
    return "?";
}

}  // namespace sim
