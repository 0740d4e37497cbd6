#include "ranks/process/process_port.hpp"

#include "ranks/process/arena.hpp"

#include <cstring>
#include <optional>

namespace sim::ranks {

ProcessPort::ProcessPort(RankMemory& memory, const SupervisorMemory& supervisor, Flags& flags, LineEnd line,
                         const ProcessPortOptions& options)
    : Port(options.rank, options.ranks),
      memory_(&memory),
      supervisor_(&supervisor),
      flags_(&flags),
      line_(line),
      arenas_(options.rank, options.arena_bytes, line),
      options_(options),
      out_(memory.out),
      in_(memory.in),
      groups_(options.ranks),
      blocks_(options.arena_bytes) {
    next_ = memory_->ops.data();
    end_ = next_ + 1;  // one slot at a time, so that every op is visible at once
}

void ProcessPort::publish() {
    ++written_;
    memory_->ops_written.store(written_, std::memory_order_release);
    if (written_ - read_ >= op_slots / 2) {
        read_ = memory_->ops_read.load(std::memory_order_acquire);
        // At half, so that there is room again before it is needed; a ring for each op would wake the supervisor for
        // each.
        if (written_ - read_ == op_slots / 2 || written_ - read_ == op_slots) {
            ring();
        }
        if (written_ - read_ == op_slots) {
            sleep([&] {
                read_ = memory_->ops_read.load(std::memory_order_acquire);
                return written_ - read_ < op_slots;
            });
        }
    }
    next_ = memory_->ops.data() + written_ % op_slots;
    end_ = next_ + 1;
}

void ProcessPort::make_room() {
    Op& posted = *(next_ - 1);
    const bool is_last = posted.kind == OpKind::finish;
    const bool wants_answer = options_.answer_every_op && posted.kind < define_label && !is_last;
    const bool is_collective = posted.kind == OpKind::collective;
    const bool brings_data = (posted.kind == OpKind::send && posted.bytes > 0) || (is_collective && brings_);
    brings_ = posted.kind == OpKind::bring || (brings_ && !is_collective);
    posted.answer = wants_answer;
    publish();
    if (wants_answer) {
        wait_for_answer();
    } else if (brings_data || is_last) {
        ring();  // an answer is really awaited
    }
}

Port::Answer ProcessPort::ask(Op op) {
    op.answer = true;
    *next_ = op;
    publish();
    return wait_for_answer();
}

Port::Answer ProcessPort::wait_for_answer() {
    ++questions_;
    ring();
    sleep([&] { return memory_->answers.load(std::memory_order_acquire) == questions_; });
    answer_place_ = memory_->answer_place.load(std::memory_order_relaxed);
    return {Time{Duration{memory_->answer_time.load(std::memory_order_relaxed)}},
            memory_->answer_bytes.load(std::memory_order_relaxed)};
}

// False: the payload is short, or does not fit into the arena.
bool ProcessPort::lay_out_payload(std::span<const std::byte> payload) {
    if (payload.size() < long_payload || options_.arena_bytes == 0 || arenas_.own() == nullptr) {
        return false;
    }
    const std::uint64_t released = memory_->releases_written.load(std::memory_order_acquire);
    for (; released_ != released; ++released_) {
        blocks_.release(memory_->releases[released_ % release_slots]);
    }
    memory_->releases_read.store(released_, std::memory_order_release);
    const std::optional<std::size_t> offset = blocks_.allocate(payload.size());
    if (!offset) {
        return false;
    }
    std::memcpy(arenas_.own() + *offset, payload.data(), payload.size());
    post({.kind = lay_out, .amount = static_cast<std::int64_t>(*offset), .bytes = payload.size()});
    return true;
}

void ProcessPort::write(std::span<const std::byte> payload) {
    if (lay_out_payload(payload)) {
        return;
    }
    for (;;) {
        payload = payload.subspan(out_.write(payload));
        if (payload.empty()) {
            return;
        }
        ring();
        const std::uint64_t full = memory_->out.written.load(std::memory_order_relaxed);
        // Until half is read: waking for every bit of room would switch processes each time.
        sleep([&] { return full - memory_->out.read.load(std::memory_order_acquire) <= stream_bytes / 2; });
    }
}

void ProcessPort::read(std::span<std::byte> payload) {
    if (payload.empty()) {
        return;
    }
    if (answer_place_ > 0) {
        std::memcpy(payload.data(), arenas_.at(answer_place_ - 1), payload.size());
        answer_place_ += payload.size();
        return;
    }
    for (;;) {
        payload = payload.subspan(in_.read(payload));
        if (payload.empty()) {
            return;
        }
        ring();  // there is room for the rest now
        sleep([&] { return in_.available() > 0; });
    }
}

std::vector<std::span<const std::byte>> ProcessPort::gathered() {
    std::uint64_t count = 0;
    read(std::as_writable_bytes(std::span(&count, 1)));
    std::vector<GatheredRow> rows(count);
    if (count > 0) {
        read(std::as_writable_bytes(std::span(rows)));
    }
    std::size_t behind = 0;
    for (const GatheredRow& row : rows) {
        behind += row.place == 0 ? row.bytes : 0;
    }
    gathered_.resize(behind);
    if (behind > 0) {
        read(gathered_);
    }
    std::vector<std::span<const std::byte>> all;
    std::size_t next = 0;
    for (const GatheredRow& row : rows) {
        if (row.place > 0) {
            all.emplace_back(arenas_.at(row.place - 1), row.bytes);
        } else {
            all.push_back(std::span(gathered_).subspan(next, row.bytes));
            next += row.bytes;
        }
    }
    return all;
}

void ProcessPort::post_definition(OpKind kind, Label label, std::span<const std::byte> payload, std::int32_t number) {
    if (!payload.empty()) {
        write(payload);
    }
    post({.kind = kind, .label = label, .tag = number, .bytes = payload.size()});
}

Label ProcessPort::intern(std::string_view text) {
    const std::size_t known = names_.size();
    const Label label = names_.intern(text);
    if (names_.size() > known) {
        post_definition(define_label, Label::none, std::as_bytes(std::span(text)));
    }
    return label;
}

GroupId ProcessPort::number(const Group& group) {
    const std::size_t known = groups_.size();
    const GroupId id = groups_.number(group);
    if (groups_.size() > known) {
        std::vector<int> members = group.ranks();
        Label own{};  // covers all of them
        if (group.stands_for_another()) {
            own = static_cast<Label>(members.size());
            const std::vector<int> whole = group.whole().ranks();
            members.insert(members.end(), whole.begin(), whole.end());
        }
        post_definition(define_group, own, std::as_bytes(std::span(members)), group.communicator());
    }
    return id;
}

void ProcessPort::report(Label name, std::span<const double> values) {
    post_definition(hand_in, name, std::as_bytes(values));
}

void ProcessPort::progress(double share_done) {
    memory_->share_done.store(share_done, std::memory_order_relaxed);
}

void ProcessPort::finish() {
    post({.kind = OpKind::finish});
}

}  // namespace sim::ranks
