#include "libsim/check.hpp"
#include "libsim/kernel/describe.hpp"
#include "libsim/kernel/kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::kernel {

namespace {

constexpr std::size_t most_lines = 16;

struct Blocked : WrongOp {
    bool is_root = false;  // nobody else's waiting explains it
};

std::string state_of(const Kernel& kernel, int rank) {
    return kernel.status(rank) == Kernel::Status::finished ? fmt::format("rank {} has finished", rank)
                                                           : fmt::format("rank {} waits too", rank);
}

// The message that was perhaps meant: from the same rank with another tag, or with the same tag from another rank.
std::string near_miss(const Kernel& kernel, int rank, const Op& receive) {
    std::vector<Matching::Unmatched> there = kernel.matching().unmatched_to(rank);
    const auto other_stream = [&](const Matching::Unmatched& m) {
        return m.source == receive.peer && m.tag == receive.tag && m.stream != receive.stream;
    };
    const auto same_source = [&](const Matching::Unmatched& m) { return m.source == receive.peer && m.tag >= 0; };
    const auto same_tag = [&](const Matching::Unmatched& m) { return m.tag == receive.tag && m.tag >= 0; };
    const auto distance = [&](const Matching::Unmatched& m) { return std::abs(std::int64_t{m.tag} - receive.tag); };
    const auto nearer = [&](const auto& a, const auto& b) { return distance(a) < distance(b); };
    std::stable_sort(there.begin(), there.end(), nearer);
    auto found = std::find_if(there.begin(), there.end(), other_stream);
    if (found != there.end() && !is_asynchronous(receive)) {
        return fmt::format("rank {} sent it on stream {} at {}; both ends must be on the same stream", found->source,
                           static_cast<int>(found->stream), describe_time(found->message.begin));
    }
    found = std::find_if(there.begin(), there.end(), same_source);
    if (found != there.end()) {
        return fmt::format("rank {} sent tag {} at {}; did you mean {}?", found->source, found->tag,
                           describe_time(found->message.begin), found->tag);
    }
    found = std::find_if(there.begin(), there.end(), same_tag);
    if (found != there.end()) {
        return fmt::format("rank {} sent {} at {}; did you mean rank {}?", found->source,
                           found->tag == 0 ? std::string("to it") : fmt::format("tag {}", found->tag),
                           describe_time(found->message.begin), found->source);
    }
    return {};
}

// Of a question for a message of any rank.
void explain_any_source(const Kernel& kernel, Blocked& blocked, const Op& look) {
    std::vector<Matching::Unmatched> there = kernel.matching().unmatched_to(blocked.rank);
    std::erase_if(there, [](const Matching::Unmatched& m) { return m.tag < 0 || m.stream != Stream::main; });
    const auto nearer = [&](const Matching::Unmatched& a, const Matching::Unmatched& b) {
        return std::abs(std::int64_t{a.tag} - look.tag) < std::abs(std::int64_t{b.tag} - look.tag);
    };
    blocked.is_root = true;
    if (const auto nearest = std::min_element(there.begin(), there.end(), nearer); nearest != there.end()) {
        blocked.why = fmt::format("rank {} sent tag {} at {}; did you mean {}?", nearest->source, nearest->tag,
                                  describe_time(nearest->message.begin), nearest->tag);
        return;
    }
    const int others = kernel.ranks() - 1 - kernel.finished();
    blocked.why = fmt::format(
        "nothing was sent to it{}; {}", look.tag > 0 ? fmt::format(" with tag {}", look.tag) : "",
        others == 0 ? std::string("all others have finished") : fmt::format("{} of the others wait, too", others));
}

void explain_receive(const Kernel& kernel, Blocked& blocked, const Op& receive) {
    const int source = receive.peer;
    blocked.waits_for = source;
    blocked.why = near_miss(kernel, blocked.rank, receive);
    blocked.is_root = !blocked.why.empty() || kernel.status(source) == Kernel::Status::finished;
    if (blocked.why.empty()) {
        blocked.why =
            fmt::format("nothing was sent{}; {}", receive.tag > 0 ? fmt::format(" with tag {}", receive.tag) : "",
                        state_of(kernel, source));
    }
}

// Only a blocking send waits for its receiver, and a rendezvous.
void explain_send(const Kernel& kernel, Blocked& blocked, const Op& send) {
    blocked.waits_for = send.peer;
    blocked.why =
        fmt::format("{}, and no receive waits for it; {}",
                    kernel.blocking_sends() ? "sends block" : "too long to be sent ahead", state_of(kernel, send.peer));
    blocked.is_root = kernel.status(send.peer) == Kernel::Status::finished;
}

void explain_collective(const Kernel& kernel, Blocked& blocked, const Op& op) {
    const GroupId id = collective_word(op).group;
    const Group& group = kernel.groups().group(id);
    const Rendezvous::Meeting& meeting = kernel.rendezvous().latest_of(blocked.rank, id, op.stream);
    std::vector<int> missing;
    for (int index = 0; index < group.size(); ++index) {
        if (!meeting.here[static_cast<std::size_t>(index)]) {
            missing.push_back(group.rank_at(index));
        }
    }
    check(!missing.empty(), "rank {} waits in a collective that is complete", blocked.rank);
    blocked.waits_for = missing.front();
    const std::size_t shown = std::min(missing.size(), std::size_t{8});
    const std::vector<int> first(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(shown));
    blocked.why =
        fmt::format("{} of {} have come; missing: rank {}{}; {}", meeting.arrived, group.size(), fmt::join(first, ", "),
                    missing.size() > shown ? ", …" : "", state_of(kernel, missing.front()));
    blocked.is_root = kernel.status(missing.front()) == Kernel::Status::finished;
}

void explain_op(const Kernel& kernel, Blocked& blocked, const Op& op) {
    if (op.kind == OpKind::collective) {
        explain_collective(kernel, blocked, op);
    } else if (op.kind == OpKind::send) {
        explain_send(kernel, blocked, op);
    } else if (op.kind == OpKind::look && op.peer == any_source) {
        explain_any_source(kernel, blocked, op);
    } else {
        explain_receive(kernel, blocked, op);
    }
}

// The rank waits for a stream, which waits in an op of its own; a stream may wait for another.
void explain_stream(Kernel& kernel, Blocked& blocked, Stream stream, const char* how) {
    const IssuedOp* at = kernel.stream_waits_in(blocked.rank, stream);
    check(at != nullptr, "rank {} waits for stream {}, which does not wait", blocked.rank, static_cast<int>(stream));
    blocked.what =
        fmt::format("{} stream {}, in its op {}: {}", how, static_cast<int>(stream), at->number, describe(at->op));
    if (at->op.kind != OpKind::wait) {
        explain_op(kernel, blocked, at->op);
        return;
    }
    const Op& awaited = kernel.joinable(blocked.rank, awaited_by(at->op))->op;
    if (awaited.kind == OpKind::record) {
        explain_stream(kernel, blocked, awaited.stream, how);
    } else {
        explain_op(kernel, blocked, awaited);
    }
}

Blocked explain_rank(Kernel& kernel, int rank) {
    const Op& op = kernel.blocked_in(rank);
    Blocked blocked{{.rank = rank, .op_number = kernel.blocked_op_number(rank), .what = describe(op)}};
    const bool returned = op.kind == OpKind::finish;
    if (op.stream != Stream::main && !is_asynchronous(op)) {
        explain_stream(kernel, blocked, op.stream, "waits for data of");
        return blocked;
    }
    if (op.kind == OpKind::take) {
        explain_stream(kernel, blocked, kernel.collective_of_data(rank, op.amount).stream, "waits for data of");
        return blocked;
    }
    const bool joins = op.kind == OpKind::wait || op.kind == OpKind::test;
    if (!joins && !returned) {
        explain_op(kernel, blocked, op);
        return blocked;
    }
    const char* const how = returned                  ? "returned, but still waits for"
                            : op.kind == OpKind::test ? "ask again and again for"
                                                      : "wait for";
    const Joinable* open = returned ? kernel.oldest_under_way(rank) : kernel.joinable(rank, awaited_by(op));
    if (open != nullptr && open->op.kind != OpKind::record) {
        blocked.what = fmt::format("{} asynchronous {}", how, describe(open->op));
        explain_op(kernel, blocked, open->op);
    } else {
        explain_stream(kernel, blocked, open != nullptr ? open->op.stream : kernel.waiting_stream(rank), how);
    }
    return blocked;
}

// Follows from each rank the one it waits for; a walk that meets itself is a cycle.
std::vector<int> find_cycle(const std::vector<Blocked>& all, int ranks) {
    std::vector<int> next(static_cast<std::size_t>(ranks), -1);
    std::vector<int> seen_by(static_cast<std::size_t>(ranks), -1);
    for (const Blocked& blocked : all) {
        next[static_cast<std::size_t>(blocked.rank)] = blocked.waits_for;
    }
    for (const Blocked& start : all) {
        int at = start.rank;
        while (at >= 0 && seen_by[static_cast<std::size_t>(at)] < 0) {
            seen_by[static_cast<std::size_t>(at)] = start.rank;
            at = next[static_cast<std::size_t>(at)];
        }
        if (at >= 0 && seen_by[static_cast<std::size_t>(at)] == start.rank) {
            std::vector<int> cycle{at};
            for (int rank = next[static_cast<std::size_t>(at)]; rank != at;
                 rank = next[static_cast<std::size_t>(rank)]) {
                cycle.push_back(rank);
            }
            cycle.push_back(at);
            return cycle;
        }
    }
    return {};
}

}  // namespace

std::vector<WrongOp> ops_of(const ProgramError& error) {
    if (const auto* deadlock = dynamic_cast<const Deadlock*>(&error)) {
        return deadlock->ops;
    }
    const auto* mismatch = dynamic_cast<const Mismatch*>(&error);
    return mismatch != nullptr ? mismatch->ops : std::vector<WrongOp>{};
}

Deadlock explain_deadlock(Kernel& kernel) {
    std::vector<Blocked> all;
    Time at{};
    for (int rank = 0; rank < kernel.ranks(); ++rank) {
        if (kernel.status(rank) == Kernel::Status::blocked) {
            all.push_back(explain_rank(kernel, rank));
            at = std::max(at, kernel.time(rank));
        }
    }
    std::string text =
        fmt::format("deadlock at {}: {} of {} ranks can never go on", describe_time(at), all.size(), kernel.ranks());
    const std::vector<int> cycle = find_cycle(all, kernel.ranks());
    const std::vector<WrongOp> ops(all.begin(), all.end());
    // Of many, the ones that explain the others first.
    if (all.size() > most_lines) {
        const auto explains = [&](const Blocked& b) {
            return b.is_root || std::find(cycle.begin(), cycle.end(), b.rank) != cycle.end();
        };
        std::stable_partition(all.begin(), all.end(), explains);
    }
    for (std::size_t i = 0; i < std::min(all.size(), most_lines); ++i) {
        text += fmt::format("\n  rank {}, op {}: {}   {}", all[i].rank, all[i].op_number, all[i].what, all[i].why);
    }
    if (all.size() > most_lines) {
        text += fmt::format("\n  … and {} ranks more", all.size() - most_lines);
    }
    if (!cycle.empty()) {
        const std::size_t shown = std::min(cycle.size(), most_lines);
        const std::vector<int> first(cycle.begin(), cycle.begin() + static_cast<std::ptrdiff_t>(shown));
        text += fmt::format("\n  cycle: {}{}", fmt::join(first, " -> "), cycle.size() > shown ? " -> …" : "");
    }
    return {text, ops};
}

}  // namespace sim::kernel
