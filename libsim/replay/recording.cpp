#include "libsim/replay/recording.hpp"

#include "libsim/error.hpp"
#include "libsim/kernel/kernel.hpp"
#include "libsim/trace/timeline_hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

namespace sim::replay {

namespace {

// Stores ops, and has no answers.
class RecordingPort final : public Port {
public:
    RecordingPort(int rank, int ranks, Names& names, Groups& groups)
        : Port(rank, ranks), names_(&names), groups_(&groups) {
        make_room();
    }

    Answer ask(Op op) override {
        const bool asks = op.kind == OpKind::look || op.kind == OpKind::test;
        observes(op.kind == OpKind::now ? "asks for the time" : asks ? "asks what has come" : "wants data");
    }
    Label intern(std::string_view text) override { return names_->intern(text); }
    GroupId number(const Group& group) override { return groups_->number(group); }
    void write(std::span<const std::byte>) override { observes("sends data"); }
    void read(std::span<std::byte>) override { observes("reads data"); }
    std::vector<std::span<const std::byte>> gathered() override { observes("takes data"); }
    void report(Label, std::span<const double>) override {}

    OpStream take() {
        ops_.end(static_cast<std::size_t>(end_ - next_));
        return std::move(ops_);
    }

private:
    [[noreturn]] void observes(const char* what) const {
        throw ProgramError(fmt::format("rank {} {}: only programs that observe nothing can be recorded", rank(), what));
    }
    void make_room() override {
        const std::span<Op> room = ops_.add_block();
        next_ = room.data();
        end_ = next_ + room.size();
    }

    Names* names_;
    Groups* groups_;
    OpStream ops_;
};

std::uint64_t hash_of(const OpStream& ops) {
    // Four independent hashes, so that a multiplication need not wait for the previous one.
    std::array<std::uint64_t, 4> hashes{ops.blocks(), 1, 2, 3};
    for (std::size_t block = 0; block < ops.blocks(); ++block) {
        for (const Op& op : ops.block(block)) {
            std::array<std::uint64_t, 4> words{};
            std::memcpy(words.data(), &op, sizeof op);
            for (std::size_t i = 0; i < words.size(); ++i) {
                hashes[i] = (hashes[i] ^ words[i]) * 0x9e3779b97f4a7c15U;
                hashes[i] ^= hashes[i] >> 32U;
            }
        }
    }
    return hashes[0] ^ (hashes[1] * 3) ^ (hashes[2] * 5) ^ (hashes[3] * 7);
}

// Reads one rank's stream, a few ops at a time.
class Reader {
public:
    static constexpr std::size_t most = 32;

    explicit Reader(const OpStream& stream) : stream_(&stream) { next_block(); }

    // `translate` converts a stored op to this rank's op.
    template <class Translate>
    std::span<const Op> next(std::span<Op, most> room, Translate translate) const {
        const std::size_t count = std::min(ahead_, static_cast<std::size_t>(end_ - at_));
        for (std::size_t i = 0; i < count; ++i) {
            room[i] = translate(at_[i]);
        }
        return room.first(count);
    }

    // A rank that got far in this turn probably will in the next; for one that did not, translating ahead is wasted.
    void take(std::size_t ops) {
        at_ += ops;
        if (at_ == end_ && block_ < stream_->blocks()) {
            next_block();
        }
        ahead_ = std::clamp<std::size_t>(2 * ops, 4, most);
    }

private:
    void next_block() {
        const std::span<const Op> block = stream_->block(block_++);
        at_ = block.data();
        end_ = at_ + block.size();
    }

    const OpStream* stream_;
    std::size_t block_ = 0;  // the next block
    const Op* at_ = nullptr;
    const Op* end_ = nullptr;
    std::size_t ahead_ = 4;
};

}  // namespace

// Finds ranks that do the same to their neighbours.
class Recording::Sharing {
public:
    explicit Sharing(Recording& recording, int ranks) : recording_(&recording), ranks_(ranks) {}

    // Adds the stream of the next rank.
    void add(OpStream stream) {
        const int rank = recording_->ranks();
        for (std::size_t block = 0; block < stream.blocks(); ++block) {
            for (Op& op : stream.block(block)) {
                // A peer is stored as a distance, so ranks that do the same to their neighbours have equal streams.
                op.peer = has_distance(op) ? (op.peer - rank + ranks_) % ranks_ : op.peer;
            }
        }
        std::vector<OpStream>& streams = recording_->streams_;
        const std::uint64_t hash = hash_of(stream);
        std::size_t index = streams.size();
        const auto [first, last] = known_.equal_range(hash);
        for (auto candidate = first; candidate != last; ++candidate) {
            // The hash only finds candidates: streams that differ must never be shared.
            index = streams[candidate->second] == stream ? candidate->second : index;
        }
        if (index == streams.size()) {
            known_.emplace(hash, index);
            streams.push_back(std::move(stream));
        }
        recording_->stream_of_.push_back(index);
    }

private:
    Recording* recording_;
    int ranks_;
    std::unordered_multimap<std::uint64_t, std::size_t> known_;
};

Recording::Recording(int ranks, const Program& program) {
    Groups groups(ranks);
    Sharing sharing(*this, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        RecordingPort port(rank, ranks, names_, groups);
        GPU gpu(port);
        program(gpu);
        port.post({.kind = OpKind::finish});
        sharing.add(port.take());
    }
    keep_groups(groups);
}

Recording::Recording(std::vector<OpStream> ops, const Names& names, const Groups& groups) {
    Sharing sharing(*this, static_cast<int>(ops.size()));
    for (OpStream& stream : ops) {
        sharing.add(std::move(stream));
    }
    for (std::size_t label = 0; label < names.size(); ++label) {
        names_.intern(names.text(static_cast<Label>(label)));
    }
    keep_groups(groups);
}

void Recording::keep_groups(const Groups& groups) {
    for (std::size_t id = 0; id < groups.size(); ++id) {
        groups_.push_back(groups.group(static_cast<GroupId>(id)));
    }
}

Replay Recording::replay(const ReplayOptions& options) const {
    Names names;
    for (std::size_t label = 0; label < names_.size(); ++label) {
        names.intern(names_.text(static_cast<Label>(label)));
    }
    Groups groups(ranks());
    for (const Group& group : groups_) {
        groups.number(group);
    }
    std::optional<TimelineHash> hash;
    SpanSink sink = options.on_span;
    if (options.hash_timeline) {
        hash.emplace(ranks());
        sink = hashing(*hash, options.on_span);
    }
    kernel::Kernel kernel(ranks(), options.cluster, names, groups,
                          {.order = links_are_shared(options.cluster) ? kernel::Order::time : kernel::Order::any,
                           .on_span = sink,
                           .faults = options.faults});
    std::vector<Reader> readers;
    readers.reserve(stream_of_.size());
    for (int rank = 0; rank < ranks(); ++rank) {
        readers.emplace_back(streams_[stream_of_[static_cast<std::size_t>(rank)]]);
    }
    std::array<Op, Reader::most> room;
    while (const std::optional<int> rank = kernel.next_turn()) {
        // An injected fault takes the turn; the ops stay for the rank's next one, if it has one.
        if (kernel.apply(*rank)) {
            continue;
        }
        Reader& reader = readers[static_cast<std::size_t>(*rank)];
        const auto of_this_rank = [&](const Op& op) { return of_rank(op, *rank); };
        reader.take(kernel.accept(*rank, kernel.at_once(*rank, reader.next(room, of_this_rank))));
    }
    if (const std::optional<kernel::FoundMistake> mistake = kernel.first_mistake()) {
        std::rethrow_exception(mistake->error);
    }
    const bool broken = kernel.lost() > 0 || kernel.lost_messages().count() > 0;
    if (!kernel.all_finished() && !broken) {
        throw kernel::explain_deadlock(kernel);
    }
    Replay replayed{kernel::run_totals(kernel), hash ? hash->hex() : ""};
    if (broken) {
        replayed.dead = kernel.dead_ranks();
        replayed.lost_messages = kernel.lost_messages().count();
        replayed.waiting = kernel::waiting_ranks(kernel);
    }
    return replayed;
}

void require_no_host_clock(int rank, const Op& op, const char* what) {
    if (op.kind == OpKind::idle || op.kind == OpKind::issue) {
        throw ProgramError(fmt::format(
            "rank {} follows its host's clock (idle_until, issue_from), which {} cannot express", rank, what));
    }
}

}  // namespace sim::replay
