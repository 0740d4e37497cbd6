// Each blocked rank is explained by the op that it waits in, followed through streams and handles down to a message or
// a collective, and from there by the rank that did not come. A rank is a root if its trouble is its own, so that no
// other rank's waiting explains it; a deadlock is a root or a cycle.
#include "libsim/check.hpp"
#include "libsim/kernel/kernel.hpp"
#include "libsim/kernel/parts/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::kernel {

namespace {

// The rank has finished or died, so no other rank's waiting explains its silence.
bool is_gone(const Kernel& kernel, int rank) {
    return kernel.status(rank) == Kernel::Status::finished || kernel.status(rank) == Kernel::Status::lost;
}

std::string state_of(const Kernel& kernel, int rank) {
    if (!is_gone(kernel, rank)) {
        return fmt::format("rank {} waits too", rank);
    }
    const bool died = kernel.status(rank) == Kernel::Status::lost;
    return fmt::format("rank {} has {}", rank, died ? "died" : "finished");
}

// The message that was perhaps meant: from the same rank with another tag, or with the same tag from another rank.
// Empty if a rank died before it could send, or a message was lost: then nobody meant another one.
std::string near_miss(const Kernel& kernel, int rank, const Op& receive) {
    if (kernel.lost() > 0 || kernel.lost_messages().count() > 0) {
        return {};
    }
    std::vector<Matching::Unmatched> there = kernel.matching().unmatched_to(rank);
    const auto other_stream = [&](const Matching::Unmatched& m) {
        return m.source == receive.peer && m.tag == receive.tag && m.stream != receive.stream;
    };
    // Negative tags are those of collectives, which no receive of a program can have meant.
    const auto same_source = [&](const Matching::Unmatched& m) { return m.source == receive.peer && m.tag >= 0; };
    const auto same_tag = [&](const Matching::Unmatched& m) { return m.tag == receive.tag && m.tag >= 0; };
    const auto distance = [&](const Matching::Unmatched& m) { return std::abs(std::int64_t{m.tag} - receive.tag); };
    const auto nearer = [&](const auto& a, const auto& b) { return distance(a) < distance(b); };
    // The nearest tag first, as the likeliest slip.
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

// Explains a question for a message from any rank.
void explain_any_source(const Kernel& kernel, WrongOp& blocked, const Op& look) {
    std::vector<Matching::Unmatched> there = kernel.matching().unmatched_to(blocked.rank);
    std::erase_if(there, [](const Matching::Unmatched& m) { return m.tag < 0 || m.stream != Stream::main; });
    const auto nearer = [&](const Matching::Unmatched& a, const Matching::Unmatched& b) {
        return std::abs(std::int64_t{a.tag} - look.tag) < std::abs(std::int64_t{b.tag} - look.tag);
    };
    blocked.is_root = true;
    if (const auto nearest = std::min_element(there.begin(), there.end(), nearer); nearest != there.end()) {
        blocked.near_miss = fmt::format("rank {} sent tag {} at {}; did you mean {}?", nearest->source, nearest->tag,
                                        describe_time(nearest->message.begin), nearest->tag);
        blocked.why = blocked.near_miss;
        return;
    }
    const int others = kernel.ranks() - 1 - kernel.finished();
    blocked.why = fmt::format(
        "nothing was sent to it{}; {}", look.tag > 0 ? fmt::format(" with tag {}", look.tag) : "",
        others == 0 ? std::string("all others have finished") : fmt::format("{} of the others wait, too", others));
}

void explain_receive(const Kernel& kernel, WrongOp& blocked, const Op& receive) {
    const int source = receive.peer;
    blocked.waits_for = source;
    blocked.near_miss = near_miss(kernel, blocked.rank, receive);
    blocked.why = blocked.near_miss;
    blocked.is_root = !blocked.why.empty() || is_gone(kernel, source);
    if (kernel.lost_messages().between(source, blocked.rank, receive.tag)) {
        blocked.why = fmt::format("what rank {} sent did not get through", source);
        blocked.is_root = true;
    } else if (blocked.why.empty()) {
        blocked.why =
            fmt::format("nothing was sent{}; {}", receive.tag > 0 ? fmt::format(" with tag {}", receive.tag) : "",
                        state_of(kernel, source));
    }
}

// A send that waits for its receiver is a blocking send or a rendezvous.
void explain_send(const Kernel& kernel, WrongOp& blocked, const Op& send) {
    blocked.waits_for = send.peer;
    if (kernel.lost_messages().between(blocked.rank, send.peer, send.tag)) {
        blocked.why = "it does not get through";
        blocked.is_root = true;
        return;
    }
    blocked.why =
        fmt::format("{}, and no receive waits for it; {}",
                    kernel.blocking_sends() ? "sends block" : "too long to be sent ahead", state_of(kernel, send.peer));
    blocked.is_root = is_gone(kernel, send.peer);
}

std::string name_of_stream(Stream stream) {
    return stream == Stream::main ? std::string("the main stream") : fmt::format("stream {}", static_cast<int>(stream));
}

// A missing rank may have come to the same collective on another stream.
std::string on_another_stream(const Kernel& kernel, int rank, const Op& collective) {
    for (int i = 0; i <= most_streams; ++i) {
        const auto stream = static_cast<Stream>(i);
        const Rendezvous::Meeting* const other = kernel.rendezvous().open_meeting_of(rank, stream);
        if (stream != collective.stream && other != nullptr && other->op.bytes == collective.bytes) {
            return fmt::format("rank {} came to one on {}, the others on {}; all members must name the same stream",
                               rank, name_of_stream(stream), name_of_stream(collective.stream));
        }
    }
    return {};
}

// Empty for the world. For other groups the members tell which one it is.
std::string among(const Kernel& kernel, GroupId id) {
    constexpr int most_named = 8;
    const Group& group = kernel.groups().group(id);
    return id == GroupId::world         ? ""
           : group.size() <= most_named ? fmt::format(" among ranks {}", fmt::join(group.ranks(), ", "))
                                        : fmt::format(" among {} ranks, {} to {}", group.size(), group.rank_at(0),
                                                      group.rank_at(group.size() - 1));
}

void explain_meeting(const Kernel& kernel, WrongOp& blocked, const Rendezvous::Meeting& meeting) {
    const Group& group = kernel.groups().group(collective_word(meeting.op).group);
    blocked.what += among(kernel, collective_word(meeting.op).group);
    std::vector<int>& missing = blocked.missing;
    for (int index = 0; index < group.size(); ++index) {
        // Op numbers count from 1 here; 0 is a member that has not come.
        if (meeting.came[static_cast<std::size_t>(index)].op_number == 0) {
            missing.push_back(group.rank_at(index));
        }
    }
    check(!missing.empty(), "rank {} waits in a collective that is complete", blocked.rank);
    blocked.waits_for = missing.front();
    blocked.near_miss = on_another_stream(kernel, missing.front(), meeting.op);
    const std::size_t shown = std::min(missing.size(), std::size_t{8});
    const std::vector<int> first(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(shown));
    blocked.why =
        fmt::format("{} of {} have come; missing: rank {}{}; {}", meeting.arrived, group.size(), fmt::join(first, ", "),
                    missing.size() > shown ? ", …" : "", state_of(kernel, missing.front()));
    blocked.is_root = is_gone(kernel, missing.front());
}

void explain_op(const Kernel& kernel, WrongOp& blocked, const Op& op) {
    blocked.kind = op.kind;
    if (op.kind == OpKind::collective) {
        const Rendezvous::Meeting* const latest =
            kernel.rendezvous().latest_of(blocked.rank, collective_word(op).group, op.stream);
        if (latest == nullptr) {
            blocked.why = "all have come; not all of its messages get through";
            blocked.is_root = true;
            return;
        }
        explain_meeting(kernel, blocked, *latest);
    } else if (const Rendezvous::Meeting* const meeting =
                   op.tag < 0 ? kernel.rendezvous().open_meeting_of(blocked.rank, op.stream) : nullptr;
               meeting != nullptr) {
        // A message of a collective is explained by the members that never came, not by its sender and receiver.
        blocked.what = describe(meeting->op);
        blocked.kind = OpKind::collective;
        explain_meeting(kernel, blocked, *meeting);
    } else if (op.kind == OpKind::send) {
        explain_send(kernel, blocked, op);
    } else if (op.kind == OpKind::look && op.peer == any_source) {
        explain_any_source(kernel, blocked, op);
    } else {
        explain_receive(kernel, blocked, op);
    }
}

// The rank waits for a stream that waits in an op of its own. A stream may wait for another stream.
void explain_stream(Kernel& kernel, WrongOp& blocked, Stream stream, const std::string& how) {
    const IssuedOp* at = kernel.stream_waits_in(blocked.rank, stream);
    check(at != nullptr, "rank {} waits for stream {}, which does not wait", blocked.rank, static_cast<int>(stream));
    const std::string waits = fmt::format("{} stream {}", how, static_cast<int>(stream));
    blocked.what = fmt::format("{}, in its op {}: {}", waits, at->number, describe(at->op));
    if (at->op.kind != OpKind::wait) {
        explain_op(kernel, blocked, at->op);
        return;
    }
    const Op& awaited = kernel.joinable(blocked.rank, awaited_by(at->op))->op;
    if (awaited.kind == OpKind::record) {
        explain_stream(kernel, blocked, awaited.stream, waits + ", which waits for");
    } else {
        explain_op(kernel, blocked, awaited);
    }
}

// The rank keeps asking, at one time, whether an op has ended that ends later.
void explain_repeated_question(WrongOp& blocked, const Joinable& ends_later, const Op& question) {
    blocked.kind = question.kind;
    blocked.what = describe(question);
    blocked.why = fmt::format("it ends at {}; no time passes between the questions", describe_time(ends_later.end));
    blocked.is_root = true;
}

WrongOp explain_rank(Kernel& kernel, int rank) {
    const Op& op = kernel.blocked_in(rank);
    WrongOp blocked{
        .rank = rank, .op_number = kernel.blocked_op_number(rank), .what = describe(op), .since = kernel.time(rank)};
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
    const char* const how = returned                          ? "returned, but still waits for"
                            : waits_for_first(op)             ? "wait for the first of several, among them"
                            : is_test(op, TestOf::end_of_one) ? "wait for the end of"
                            : op.kind == OpKind::test         ? "ask again and again for"
                                                              : "wait for";
    const Joinable* open = returned ? kernel.oldest_under_way(rank) : kernel.joinable(rank, awaited_by(op));
    if (is_test(op, TestOf::one_by) && open->done) {
        explain_repeated_question(blocked, *open, op);
        return blocked;
    }
    if (open != nullptr && open->op.kind != OpKind::record) {
        blocked.what = fmt::format("{} asynchronous {}", how, describe(open->op));
        explain_op(kernel, blocked, open->op);
    } else {
        explain_stream(kernel, blocked, open != nullptr ? open->op.stream : kernel.waiting_stream(rank), how);
    }
    return blocked;
}

}  // namespace

std::vector<WrongOp> waiting_ranks(Kernel& kernel) {
    std::vector<WrongOp> all;
    for (int rank = 0; rank < kernel.ranks(); ++rank) {
        if (kernel.status(rank) == Kernel::Status::blocked) {
            all.push_back(explain_rank(kernel, rank));
        }
    }
    return all;
}

Deadlock explain_deadlock(Kernel& kernel) {
    std::vector<WrongOp> all = waiting_ranks(kernel);
    Time at{};
    for (const WrongOp& one : all) {
        at = std::max(at, one.since);
    }
    std::string text =
        fmt::format("deadlock at {}: {} of {} ranks can never go on", describe_time(at), all.size(), kernel.ranks());
    // Stays in rank order; only the lines of the text are rearranged.
    const std::vector<WrongOp> ops = all;
    const std::vector<int> cycle = cycle_of(ops);
    // If there are too many to list, those that explain the others come first.
    if (all.size() > most_wrong_ops_listed) {
        const auto explains = [&](const WrongOp& b) {
            return b.is_root || std::find(cycle.begin(), cycle.end(), b.rank) != cycle.end();
        };
        std::stable_partition(all.begin(), all.end(), explains);
    }
    text += lines_of(all);
    if (!cycle.empty()) {
        const std::size_t shown = std::min(cycle.size(), most_wrong_ops_listed);
        const std::vector<int> first(cycle.begin(), cycle.begin() + static_cast<std::ptrdiff_t>(shown));
        text += fmt::format("\n  cycle: {}{}", fmt::join(first, " -> "), cycle.size() > shown ? " -> …" : "");
    }
    return {text, ops};
}

}  // namespace sim::kernel
