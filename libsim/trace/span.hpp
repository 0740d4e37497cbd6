// A span records when one op ran and what it did; a trace is made of spans.
//
// Spans of one rank and stream come in program order: the span of an asynchronous receive comes when it is joined.
#pragma once

#include "libsim/group.hpp"
#include "libsim/op.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace sim::trace {

struct Span {
    int rank = 0;
    OpKind kind = OpKind::compute;  // compute, send, receive, collective, log, allocate, checkpoint, idle
    Stream stream = Stream::main;
    std::uint32_t op_number = 0;         // of the op that started it, in the rank's program, from 0
    const std::string* label = nullptr;  // never null in an emitted span; lives as long as the run
    int peer = -1;                       // send, receive: the other rank
    int tag = 0;
    Measure measure = Measure::bytes;  // of `amount`
    std::int64_t amount = 0;           // bytes, FLOPs, or billionths of a unit; allocate: total held afterwards
    std::int32_t purpose = 0;          // compute: the number that the program gave
    CollectiveKind collective = CollectiveKind::barrier;  // collective: its kind
    const Group* group = nullptr;                         // collective: its members; lives as long as the run
    Time begin;
    Time end;
    Duration idle{0};           // the part of begin..end spent waiting for others to begin
    std::uint64_t message = 0;  // send, receive: the same number at both ends; 0: no message
};

using SpanSink = std::function<void(const Span&)>;

// The breakdown of a rank's simulated time. compute + communication + idle = end of the whole run, for every rank.
struct RankTotals {
    Duration compute{0};
    // Sending, receiving, and waiting for a transfer in flight. A collective by size counts only its own sending and
    // acknowledging; the rest is idle. Work of other streams counts, in its own category, only while the program waited
    // for it.
    Duration communication{0};
    Duration idle{0};                 // waiting for a peer to begin, or for the others to end
    Duration idle_in_collectives{0};  // the part of it spent waiting within collectives
    Time end;                         // when this rank finished
    std::int64_t bytes_sent = 0;
    std::int64_t billionths_sent = 0;  // in units
    std::int64_t messages_sent = 0;
    std::int64_t peak_bytes = 0;  // peak memory in use, as its program allocated
    std::int64_t peak_billionths = 0;
    std::int64_t ops = 0;  // compute, send, receive, wait, collective, now
};

}  // namespace sim::trace
