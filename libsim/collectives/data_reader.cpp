#include "libsim/collectives/data_reader.hpp"

#include "libsim/check.hpp"
#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace sim::collectives {

namespace {

// One member's part of a schedule, in progress.
class Carrying {
public:
    Carrying(GPU& gpu, const Group& group, const Schedule& schedule, Size size, std::string_view label,
             const Elements& elements);

    void channel(int number);
    void finish();

private:
    void exchange_one_chunk(const Step& step);
    void exchange_chunks(const Step& step);
    void receive_chunks(int source, const Step& step);
    Size cost_of(const ChunkSet& set) const;
    ChunkRange range(int index) const { return chunk_range(elements_.count, schedule_, index); }
    template <class Byte>
    std::span<Byte> part(std::span<Byte> data, const ChunkRange& range) const {
        return data.subspan(range.begin * elements_.element_size, range.size() * elements_.element_size);
    }
    template <class Byte>
    std::span<Byte> chunk(std::span<Byte> data, int index) const {
        return data.empty() ? data : part(data, range(index));
    }
    // The range of the chunks, if they are contiguous.
    std::optional<ChunkRange> in_one_piece(const ChunkSet& set) const;
    std::span<const std::byte> collected(const ChunkSet& set);
    void combine_in_order();
    void put_back();

    GPU& gpu_;
    const Group& group_;
    const Schedule& schedule_;
    const Elements& elements_;
    std::string_view label_;
    Size each_;
    Tag tag_;
    int self_;
    std::vector<std::vector<std::byte>> kept_;  // by member; used if the schedule sends its input
    std::span<const std::byte> outgoing_;
    bool combine_kept_ = false;
    std::vector<std::byte> arrived_;
    std::vector<std::byte> leaving_;
};

Carrying::Carrying(GPU& gpu, const Group& group, const Schedule& schedule, Size size, std::string_view label,
                   const Elements& elements)
    : gpu_(gpu),
      group_(group),
      schedule_(schedule),
      elements_(elements),
      label_(label),
      each_(ceil_div(size, schedule.chunks)),
      tag_(tag_of(group, schedule)),
      self_(group.index_of(gpu.rank())),
      outgoing_(elements.data) {
    if (schedule.sends == SentData::input) {
        kept_.resize(static_cast<std::size_t>(schedule.members));
        std::vector<std::byte>& input = kept_[static_cast<std::size_t>(self_)];
        input.assign(elements.data.begin(), elements.data.end());
        outgoing_ = input;
    }
}

void Carrying::channel(int number) {
    if (schedule_.one_chunk()) {
        for (int at = 0; at < schedule_.steps; ++at) {
            exchange_one_chunk(schedule_.step(number, self_, at));
        }
    } else {
        for (int at = 0; at < schedule_.steps; ++at) {
            exchange_chunks(schedule_.step(number, self_, at));
        }
    }
}

void Carrying::exchange_one_chunk(const Step& step) {
    if (step.to >= 0) {
        gpu_.send_in_collective(group_.rank_at(step.to), chunk(outgoing_, step.send.first), label_, each_, tag_);
    }
    if (step.from < 0) {
        return;
    }
    const std::span<std::byte> into = chunk(elements_.data, step.receive.first);
    if (!step.reduce || into.empty()) {
        gpu_.receive_in_collective(group_.rank_at(step.from), into, label_, each_, tag_);
        return;
    }
    // Whole inputs are kept until all have come: adding them up as they arrive would give each member another order,
    // and so other bits.
    combine_kept_ = schedule_.sends == SentData::input && schedule_.chunks == 1;
    std::vector<std::byte>& came = combine_kept_ ? kept_[static_cast<std::size_t>(step.from)] : arrived_;
    came.resize(into.size());
    gpu_.receive_in_collective(group_.rank_at(step.from), came, label_, each_, tag_);
    if (!combine_kept_) {
        elements_.combine(into, came);
    }
}

void Carrying::exchange_chunks(const Step& step) {
    if (step.to >= 0) {
        gpu_.send_in_collective(group_.rank_at(step.to), collected(step.send), label_, cost_of(step.send), tag_);
    }
    if (step.from >= 0) {
        receive_chunks(group_.rank_at(step.from), step);
    }
}

void Carrying::receive_chunks(int source, const Step& step) {
    const Size cost = cost_of(step.receive);
    const std::optional<ChunkRange> piece = in_one_piece(step.receive);
    if (elements_.data.empty() || (piece && !step.reduce)) {
        const std::span<std::byte> into = piece ? part(elements_.data, *piece) : elements_.data;
        gpu_.receive_in_collective(source, into, label_, cost, tag_);
        return;
    }
    std::size_t bytes = 0;
    for_each_chunk(step.receive, schedule_.chunks, [&](int index) { bytes += chunk(elements_.data, index).size(); });
    arrived_.resize(bytes);
    gpu_.receive_in_collective(source, arrived_, label_, cost, tag_);
    std::span<const std::byte> left = arrived_;
    for_each_chunk(step.receive, schedule_.chunks, [&](int index) {
        const std::span<std::byte> into = chunk(elements_.data, index);
        const std::span<const std::byte> from = left.first(into.size());
        left = left.subspan(into.size());
        if (step.reduce) {
            elements_.combine(into, from);
        } else {
            std::copy(from.begin(), from.end(), into.begin());
        }
    });
}

Size Carrying::cost_of(const ChunkSet& set) const {
    Size size = each_;
    if (__builtin_mul_overflow(each_.amount, set.count(), &size.amount)) {
        throw_count_overflow();
    }
    return size;
}

std::optional<ChunkRange> Carrying::in_one_piece(const ChunkSet& set) const {
    if (elements_.data.empty()) {
        return ChunkRange{};
    }
    if (set.run != set.span || set.first + set.span > schedule_.chunks) {
        return std::nullopt;
    }
    return ChunkRange{range(set.first).begin, range(set.first + set.span - 1).end};
}

// The chunks to send, contiguous. They are copied only if they do not lie in a row.
std::span<const std::byte> Carrying::collected(const ChunkSet& set) {
    if (const std::optional<ChunkRange> piece = in_one_piece(set)) {
        return part(outgoing_, *piece);
    }
    leaving_.clear();
    for_each_chunk(set, schedule_.chunks, [&](int index) {
        const std::span<const std::byte> one = chunk(outgoing_, index);
        leaving_.insert(leaving_.end(), one.begin(), one.end());
    });
    return leaving_;
}

void Carrying::finish() {
    if (combine_kept_) {
        combine_in_order();
    }
    if (schedule_.result == BlockOrder::mirrored) {
        put_back();
    }
}

// Sums in member order, so that all members get bitwise equal results.
void Carrying::combine_in_order() {
    std::copy(kept_[0].begin(), kept_[0].end(), elements_.data.begin());
    for (std::size_t member = 1; member < kept_.size(); ++member) {
        elements_.combine(elements_.data, kept_[member]);
    }
}

void Carrying::put_back() {
    const int n = schedule_.blocks();
    for (int index = 0; index < n; ++index) {
        const int other = (2 * self_ - index + n) % n;
        if (index < other) {
            const std::span<std::byte> a = chunk(elements_.data, index);
            const std::span<std::byte> b = chunk(elements_.data, other);
            check(a.size() == b.size(), "blocks {} and {} change places, and are {} and {} bytes long", index, other,
                  a.size(), b.size());
            std::swap_ranges(a.begin(), a.end(), b.begin());
        }
    }
}

}  // namespace

Tag tag_of(const Group& group, const Schedule& schedule) {
    const auto what = static_cast<std::uint64_t>(schedule.kind) |
                      static_cast<std::uint64_t>(schedule.config.algorithm) << 8U |
                      static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(packed(schedule.config))) << 16U;
    // Members that disagree about the collective should not match by accident, so the tag depends on everything that
    // they must agree on.
    const std::uint64_t mixed = (GroupHash{}(group) + what) * 0xff51afd7ed558ccdU;
    return Tag{-1 - static_cast<std::int32_t>(mixed >> 34U)};  // the upper 30 bits
}

ChunkRange chunk_range(std::size_t count, int chunks, int index) {
    const auto parts = static_cast<std::size_t>(chunks);
    const auto i = static_cast<std::size_t>(index);
    const std::size_t share = count / parts;
    const std::size_t longer = count % parts;  // the first chunks have one element more
    const auto begin = [&](std::size_t at) { return at * share + (at < longer ? at : longer); };
    return {begin(i), begin(i + 1)};
}

ChunkRange chunk_range(std::size_t count, const Schedule& schedule, int index) {
    if (schedule.parts == 1) {
        return chunk_range(count, schedule.chunks, index);
    }
    const ChunkRange block = chunk_range(count, schedule.blocks(), index / schedule.parts);
    const ChunkRange part = chunk_range(block.size(), schedule.parts, index % schedule.parts);
    return {block.begin + part.begin, block.begin + part.end};
}

void check_own_chunk(const GPU& gpu, const Group& group, std::string_view what, std::size_t whole,
                     std::size_t elements) {
    if (!group.contains(gpu.rank())) {
        throw ProgramError(fmt::format("rank {} joins the {} of a group it is not in", gpu.rank(), what));
    }
    const std::size_t own = chunk_range(whole, group.size(), group.index_of(gpu.rank())).size();
    if (elements != own) {
        throw ProgramError(
            fmt::format("rank {} has a part of {} elements in the {}: its share of {} over {} ranks is {}", gpu.rank(),
                        elements, what, whole, group.size(), own));
    }
}

void execute(GPU& gpu, const Group& group, const Schedule& schedule, Size size, std::string_view label,
             const Elements& elements) {
    Carrying carrying(gpu, group, schedule, size, label, elements);
    std::vector<Handle> beside;
    if (schedule.channels > 1) {
        // Taken before channel 0 advances the current stream.
        const std::optional<Handle> here = gpu.here();
        for (int channel = 1; channel < schedule.channels; ++channel) {
            beside.push_back(gpu.on_channel(channel, here, [&] { carrying.channel(channel); }));
        }
    }
    carrying.channel(0);
    for (const Handle& end : beside) {
        gpu.wait(end);
    }
    carrying.finish();
}

}  // namespace sim::collectives
