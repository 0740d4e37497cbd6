#include "ranks/process/inbox.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/error.hpp"
#include "ranks/process/arena.hpp"
#include "ranks/process/doorbells.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <utility>

namespace sim::ranks {

Inbox::Inbox(int rank, RankMemory& memory, Arenas& arenas, Run& run)
    : rank_(rank), memory_(&memory), arenas_(&arenas), run_(&run), out_(memory.out), in_(memory.in) {}

void Inbox::violated(const char* rule) const {
    throw Violation(fmt::format("rank {} broke its queue ({})", rank_, rule));
}

void Inbox::take(std::size_t ops) {
    taken_ += ops;
    if (taken_ == ops_.size()) {
        ops_.clear();
        taken_ = 0;
    }
}

bool Inbox::fetch() {
    const bool bytes = fetch_bytes();
    return fetch_ops() || bytes;
}

bool Inbox::fetch_bytes() {
    const std::uint64_t available = out_.available();
    if (available == 0) {
        return false;
    }
    if (available > stream_bytes) {
        violated("more payload than there is room for");
    }
    const std::size_t before = received_.size();
    received_.resize(before + available);
    out_.read(std::span(received_).subspan(before));
    run_->look_at_unreceived(rank_, received_.size());
    ring_rank(*memory_);
    return true;
}

bool Inbox::fetch_ops() {
    const std::uint64_t written = memory_->ops_written.load(std::memory_order_acquire);
    if (written == read_) {
        return false;
    }
    if (written - read_ > op_slots) {
        violated("more ops than there is room for");
    }
    // A payload is written before its op: once the op is visible, all of the payload is here or in the stream.
    fetch_bytes();
    // A rank that continues has read its last answer.
    if (lent_) {
        read_block_ = std::exchange(lent_, std::nullopt);
    }
    if (lent_gathering_) {
        read_gathering_ = std::exchange(lent_gathering_, nullptr);
    }
    for (; read_ != written; ++read_) {
        accept(memory_->ops[read_ % op_slots]);
    }
    memory_->ops_read.store(read_, std::memory_order_release);
    ring_rank(*memory_);  // it may be waiting for room
    return true;
}

// A copy: the rank could still change its slot between a check and a use.
void Inbox::accept(Op op) {
    if (op.kind == define_label || op.kind == define_group || op.kind == hand_in) {
        define(op);
        return;
    }
    if (op.kind == lay_out) {
        lay_out_next(op);
        return;
    }
    check_numbers(op);
    if ((op.kind == OpKind::send || op.kind == OpKind::bring) && op.bytes > 0) {
        run_->keep(rank_, take_payload(op));
    }
    if (op.kind == OpKind::checkpoint && op.bytes > 0) {
        run_->payloads.put(rank_, {.bytes = take_bytes(op)});
    }
    ops_.push_back(op);
    last_op_ = op;
    has_op_ = true;
}

void Inbox::lay_out_next(const Op& op) {
    const std::size_t room = arenas_->places().bytes_each();
    const auto offset = static_cast<std::uint64_t>(op.amount);
    if (laid_out_ || op.bytes == 0 || op.bytes > room || offset > room - op.bytes || !arenas_->has(rank_)) {
        violated("a block that is not in its arena");
    }
    laid_out_ = Block{rank_, offset, op.bytes};
}

Payload Inbox::take_payload(const Op& op) {
    if (laid_out_) {
        const Block block = *std::exchange(laid_out_, std::nullopt);
        if (block.size != op.bytes) {
            violated("an op with another payload than it laid out");
        }
        return {.block = block};
    }
    return {.bytes = take_bytes(op)};
}

// The next payload of the stream, or a copy of its block.
std::vector<std::byte> Inbox::take_bytes(const Op& op) {
    if (laid_out_) {
        const Block block = *take_payload(op).block;
        const std::span<const std::byte> bytes = arenas_->bytes(block);
        std::vector<std::byte> copy(bytes.begin(), bytes.end());
        release(block.offset);
        return copy;
    }
    if (op.bytes > received_.size()) {
        violated("an op without its payload");
    }
    const auto end = received_.begin() + static_cast<std::ptrdiff_t>(op.bytes);
    std::vector<std::byte> payload(received_.begin(), end);
    received_.erase(received_.begin(), end);
    return payload;
}

std::optional<Block> Inbox::block_read() {
    return std::exchange(read_block_, std::nullopt);
}

void Inbox::release(std::size_t offset) {
    releases_.push_back(offset);
    pass_on_releases();
}

void Inbox::pass_on_releases() {
    const std::uint64_t read = memory_->releases_read.load(std::memory_order_acquire);
    while (!releases_.empty() && released_ - read < release_slots) {
        memory_->releases[released_++ % release_slots] = releases_.front();
        releases_.pop_front();
    }
    memory_->releases_written.store(released_, std::memory_order_release);
}

void Inbox::define(const Op& op) {
    const std::vector<std::byte> payload = take_bytes(op);
    if (op.kind == define_label) {
        labels_.push_back(run_->names.intern({reinterpret_cast<const char*>(payload.data()), payload.size()}));
    } else if (op.kind == define_group) {
        std::vector<int> members(payload.size() / sizeof(int));
        std::memcpy(members.data(), payload.data(), members.size() * sizeof(int));
        const auto own = static_cast<std::size_t>(op.label);  // the rest are those it stands for; 0: none
        try {
            const std::size_t count = own == 0 ? members.size() : std::min(own, members.size());
            const auto end = members.begin() + static_cast<std::ptrdiff_t>(count);
            Group group = Group::of({members.begin(), end});
            if (own != 0) {
                group = group.standing_for(Group::of({end, members.end()}));
            }
            if (op.tag != 0) {
                group = group.as_communicator(op.tag);
            }
            groups_.push_back(run_->groups.number(group));
        } catch (const ProgramError&) {
            violated("a group that cannot be");
        }
        if (run_->groups.group(groups_.back()).largest() >= run_->options->ranks) {
            violated("a group with ranks that there are not");
        }
    } else {
        std::vector<double> values(payload.size() / sizeof(double));
        if (!values.empty()) {  // an empty range has no address
            std::memcpy(values.data(), payload.data(), values.size() * sizeof(double));
        }
        if (static_cast<std::size_t>(op.label) >= labels_.size()) {
            violated("an unknown label");
        }
        run_->report(rank_, labels_[static_cast<std::size_t>(op.label)], std::move(values));
    }
}

// Checks every number that the kernel uses as an index or in a switch.
void Inbox::check_numbers(Op& op) const {
    const int ranks = run_->options->ranks;
    // Reading a bool from any other byte value is undefined behaviour.
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&op);
    if (bytes[offsetof(Op, answer)] > 1) {
        violated("a flag that is neither on nor off");
    }
    if (op.kind > OpKind::finish || op.measure > Measure::picoseconds ||
        static_cast<std::size_t>(op.label) >= labels_.size()) {
        violated("an unknown kind of op");
    }
    op.label = labels_[static_cast<std::size_t>(op.label)];
    if (op.kind == OpKind::send || op.kind == OpKind::receive) {
        if (op.peer < 0 || op.peer >= ranks || op.peer == rank_ || op.amount < (op.kind == OpKind::receive ? -1 : 0)) {
            violated("a message that cannot be");
        }
    } else if (op.kind == OpKind::look) {
        if (op.peer < any_source || op.peer >= ranks || op.peer == rank_ || op.tag < 0 || op.amount < 0) {
            violated("a question that cannot be");
        }
    } else if (op.kind == OpKind::allocate ? op.amount == INT64_MIN : op.amount < (op.kind == OpKind::issue ? -1 : 0)) {
        violated("a negative amount");
    }
    if (op.kind == OpKind::test &&
        (op.tag < 0 || op.tag > static_cast<std::int32_t>(TestOf::one_by) || op.bytes > INT64_MAX)) {
        violated("a question that cannot be");
    }
    if (op.kind == OpKind::checkpoint && (op.tag < 0 || op.peer < 0 || op.peer > 1 || (op.peer == 0 && op.bytes > 0))) {
        violated("a checkpoint that cannot be");
    }
    check_stream(op);
    if (op.kind == OpKind::collective || op.kind == OpKind::enter) {
        CollectiveWord word = collective_word(op);
        const auto local = static_cast<std::size_t>(word.group);
        if (local >= groups_.size() || word.kind > CollectiveKind::all_to_all || word.reduction > Reduction::max) {
            violated("an unknown collective");
        }
        word.group = groups_[local];
        const Group& group = run_->groups.group(word.group);
        try {
            check_algorithm(word.kind, algorithm_of(op), group.size());
        } catch (const ProgramError&) {
            violated("an unknown collective");
        }
        if (!group.contains(rank_) || ((op.peer >= 0 || needs_root(word.kind)) && !group.contains(op.peer))) {
            violated("a collective of others");
        }
        op.bytes = std::bit_cast<std::uint64_t>(word);
    }
}

void Inbox::check_stream(const Op& op) const {
    const auto stream = static_cast<int>(op.stream);
    const bool is_message = op.kind == OpKind::send || op.kind == OpKind::receive;
    const bool is_collective = op.kind == OpKind::collective || op.kind == OpKind::enter;
    const bool fits =
        op.stream == Stream::main ||
        (op.stream == Stream::own ? is_message || op.kind == OpKind::compute
                                  : is_message || is_collective || op.kind == OpKind::record ||
                                        op.kind == OpKind::checkpoint || (op.kind == OpKind::wait && op.bytes == 0) ||
                                        (op.kind == OpKind::compute && stream <= most_streams));
    if (!fits || (stream > last_channel_stream && op.stream != Stream::own)) {
        violated("an op on a stream that cannot have it");
    }
}

// The place, from 1, of a block that the rank can read; 0: it needs a copy.
std::uint64_t Inbox::place_for_rank(const Payload& payload) {
    const bool can_read = payload.block && arenas_->lend(rank_, payload.block->rank);
    return can_read ? arenas_->places().of(*payload.block) + 1 : 0;
}

std::span<const std::byte> Inbox::bytes_of(const Payload& payload) {
    return payload.block ? arenas_->bytes(*payload.block) : std::span(payload.bytes);
}

void Inbox::answer(Time at, Payload payload) {
    const std::uint64_t place = place_for_rank(payload);
    if (payload.block && place == 0) {
        const std::span<const std::byte> bytes = bytes_of(payload);
        payload.bytes.assign(bytes.begin(), bytes.end());
    }
    memory_->answer_time.store(at.time_since_epoch().count(), std::memory_order_relaxed);
    memory_->answer_bytes.store(payload.size(), std::memory_order_relaxed);
    memory_->answer_place.store(place, std::memory_order_relaxed);
    lent_ = payload.block;
    outgoing_ = std::move(payload.bytes);
    // As much as there is room for; pump() writes the rest as the rank reads.
    outgoing_done_ = in_.write(outgoing_);
    // Last, so that a rank that sees the count sees the answer too.
    memory_->answers.store(++answers_, std::memory_order_release);
    ring_rank(*memory_);
}

void Inbox::answer_with(Time at, std::shared_ptr<const kernel::Contributions> gathering) {
    std::vector<GatheredRow> rows;
    std::size_t behind = 0;
    for (const kernel::Delivery& brought : gathering->all) {
        GatheredRow row{.bytes = brought.bytes};
        if (brought.bytes > 0) {
            const Payload& payload = run_->payloads.lend(brought.source, brought.number);
            row.place = place_for_rank(payload);
            behind += row.place > 0 ? 0 : row.bytes;
        }
        rows.push_back(row);
    }
    const std::uint64_t count = rows.size();
    const auto head = std::as_bytes(std::span(&count, 1));
    const auto table = std::as_bytes(std::span(rows));
    std::vector<std::byte> text;
    text.reserve(head.size() + table.size() + behind);
    text.insert(text.end(), head.begin(), head.end());
    text.insert(text.end(), table.begin(), table.end());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].bytes > 0 && rows[i].place == 0) {
            const kernel::Delivery& brought = gathering->all[i];
            const std::span<const std::byte> bytes = bytes_of(run_->payloads.lend(brought.source, brought.number));
            text.insert(text.end(), bytes.begin(), bytes.end());
        }
    }
    answer(at, {.bytes = std::move(text)});
    lent_gathering_ = std::move(gathering);
}

std::shared_ptr<const kernel::Contributions> Inbox::gathering_read() {
    return std::exchange(read_gathering_, nullptr);
}

double Inbox::share_done() const {
    const double said = memory_->share_done.load(std::memory_order_relaxed);
    // A NaN fails both comparisons.
    return said >= 0 && said <= 1 ? said : 0;
}

bool Inbox::pump() {
    bool moved = fetch_bytes();
    if (outgoing_done_ < outgoing_.size()) {
        const std::size_t written = in_.write(std::span(outgoing_).subspan(outgoing_done_));
        outgoing_done_ += written;
        if (written > 0) {
            ring_rank(*memory_);
            moved = true;
        }
    }
    return moved;
}

const char* Inbox::last_words() {
    // The rank may have left no end of its text.
    memory_->last_words.back() = '\0';
    return memory_->last_words.data();
}

}  // namespace sim::ranks
