#include "libsim/parallel/zero.hpp"

#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/reduce_scatter.hpp"
#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sim::parallel {

namespace {

constexpr double dropped = std::numeric_limits<double>::quiet_NaN();

Size times(double factor, Size size) {
    return {static_cast<std::int64_t>(std::ceil(factor * static_cast<double>(size.amount))), size.measure};
}

void check_options(const ZeroOptions& options) {
    if (options.stage < 1 || options.stage > 3) {
        throw ProgramError(fmt::format("the stage of ZeRO must be 1, 2 or 3, not {}", options.stage));
    }
    if (options.reduction == Reduction::max) {
        throw ProgramError("gradients are summed or averaged; their maximum is not a gradient");
    }
    if (!(options.optimizer_states >= 0) || !std::isfinite(options.optimizer_states)) {
        throw ProgramError(
            fmt::format("{} optimizer states per weight; there are 0 or more", options.optimizer_states));
    }
}

}  // namespace

Zero::Zero(GPU& gpu, Group group, std::vector<Segment> segments, std::span<double> weights, const ZeroOptions& options)
    : gpu_(&gpu), group_(std::move(group)), options_(options), weights_(weights) {
    check_options(options_);
    check_segments(segments);
    if (!group_.contains(gpu.rank())) {
        throw ProgramError(fmt::format("rank {} is not in the group that shares the weights", gpu.rank()));
    }
    if (segments.back().end != weights.size()) {
        throw ProgramError(
            fmt::format("the segments end at {}, the weights at {}", segments.back().end, weights.size()));
    }
    std::size_t at = 0;
    for (const Segment& segment : segments) {
        const ChunkRange own = chunk_range(segment.length(), group_.size(), group_.index_of(gpu.rank()));
        parts_.push_back({.segment = segment, .own = {at, segment.begin + own.begin, own.size()}});
        at += own.size();
    }
    own_weights_ = take_own(weights);
    own_gradient_.assign(own_weights_.size(), 0.0);
    count_memory();
    if (options_.stage == 3) {
        std::for_each(parts_.begin(), parts_.end(), [&](Part& each) { drop(each); });
    }
}

void Zero::count_memory() {
    std::vector<Segment> chunks;
    std::vector<Segment> wholes;
    for (const Part& each : parts_) {
        wholes.push_back(each.segment);
        chunks.push_back({.size = ceil_div(each.segment.size, group_.size())});
    }
    const Size whole = total_size(wholes);
    const Size own = total_size(chunks);
    gpu_->allocate("weights", options_.stage == 3 ? own : whole);
    gpu_->allocate("gradients", options_.stage == 1 ? whole : own);
    gpu_->allocate("optimizer states", times(options_.optimizer_states, own));
}

Zero::Part& Zero::part(int segment) {
    const auto index = static_cast<std::size_t>(segment);
    if (segment < 0 || index >= parts_.size()) {
        throw ProgramError(fmt::format("segment {} does not exist: there are {}, from 0 on", segment, parts_.size()));
    }
    return parts_[index];
}

void Zero::before_use(int segment, Pass pass) {
    Part& wanted = part(segment);
    if (options_.stage < 3) {
        return;
    }
    if (wanted.held == Held::coming) {
        gpu_->wait(wanted.gathering);
    } else if (wanted.held == Held::own) {
        gpu_->allocate("gathered weights", wanted.segment.size);
        gather(wanted);
    }
    wanted.held = Held::whole;
    const int next = pass == Pass::forward ? segment + 1 : segment - 1;
    if (options_.prefetch && next >= 0 && next < static_cast<int>(parts_.size())) {
        begin_gathering(part(next));
    }
}

void Zero::begin_gathering(Part& next) {
    if (next.held != Held::own) {
        return;
    }
    gpu_->allocate("gathered weights", next.segment.size);
    next.gathering = gpu_->on(options_.stream, [&] { gather(next); });
    next.held = Held::coming;
}

void Zero::gather(Part& each) {
    all_gather(*gpu_, group_, weights_.subspan(each.segment.begin, each.segment.length()), each.segment.size);
}

void Zero::after_use(int segment) {
    Part& used = part(segment);
    if (options_.stage < 3) {
        return;
    }
    if (used.held != Held::whole) {
        throw ProgramError(fmt::format("segment {} is not gathered: before_use() comes before after_use()", segment));
    }
    gpu_->release("gathered weights", used.segment.size);
    drop(used);
}

void Zero::drop(Part& each) {
    const auto at = [&](std::size_t place) { return weights_.begin() + static_cast<std::ptrdiff_t>(place); };
    std::fill(at(each.segment.begin), at(each.own.begin), dropped);
    std::fill(at(each.own.begin + each.own.length), at(each.segment.end), dropped);
    each.held = Held::own;
}

void Zero::gradient_ready(int segment, std::span<double> gradient) {
    Part& ready = part(segment);
    if (gradient.size() != weights_.size()) {
        throw ProgramError(fmt::format("a gradient of {} elements for {} weights", gradient.size(), weights_.size()));
    }
    if (options_.stage == 1) {
        if (ready.ready_gradient) {
            throw ProgramError(fmt::format("segment {}'s gradient is ready twice in one step", segment));
        }
        ready.ready_gradient = gradient;
        return;
    }
    const Size size = ready.segment.size;
    gpu_->allocate("gradient under way", size);
    end_reduce_scatter();
    if (options_.overlap) {
        under_way_ = {gpu_->on(options_.stream, [&] { reduce_scatter_part(ready, gradient); }), size};
    } else {
        reduce_scatter_part(ready, gradient);
        gpu_->release("gradient under way", size);
    }
}

void Zero::end_reduce_scatter() {
    if (under_way_) {
        gpu_->wait(under_way_->handle);
        gpu_->release("gradient under way", under_way_->size);
        under_way_.reset();
    }
}

void Zero::reduce_scatter_part(Part& each, std::span<double> gradient) {
    const std::span<double> whole = gradient.subspan(each.segment.begin, each.segment.length());
    const std::span<double> sum = reduce_scatter(*gpu_, group_, whole, each.segment.size, options_.reduction);
    for (std::size_t i = 0; i < sum.size(); ++i) {
        own_gradient_[each.own.at + i] += sum[i];
    }
    std::fill(whole.begin(), whole.end(), dropped);
}

void Zero::finish_gradients() {
    end_reduce_scatter();
    if (options_.stage > 1) {
        return;
    }
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        Part& each = parts_[index];
        if (!each.ready_gradient) {
            throw ProgramError(fmt::format("segment {}'s gradient is not ready", index));
        }
        reduce_scatter_part(each, *each.ready_gradient);
        each.ready_gradient.reset();
    }
}

std::vector<std::size_t> Zero::own_places() const {
    std::vector<std::size_t> places;
    for (const Part& each : parts_) {
        for (std::size_t i = 0; i < each.own.length; ++i) {
            places.push_back(each.own.begin + i);
        }
    }
    return places;
}

std::vector<double> Zero::take_own(std::span<const double> whole) const {
    if (whole.size() != weights_.size()) {
        throw ProgramError(fmt::format("own elements of an array of {}, not of {}", weights_.size(), whole.size()));
    }
    std::vector<double> own;
    for (const std::size_t place : own_places()) {
        own.push_back(whole[place]);
    }
    return own;
}

void Zero::restore(std::span<const double> weights) {
    own_weights_ = take_own(weights);
    std::copy(weights.begin(), weights.end(), weights_.begin());
    if (options_.stage == 3) {
        std::for_each(parts_.begin(), parts_.end(), [&](Part& each) { drop(each); });
    }
}

void Zero::publish() {
    for (Part& each : parts_) {
        if (options_.stage == 3 && each.held == Held::coming) {
            gpu_->wait(each.gathering);
        }
        if (options_.stage == 3 && each.held != Held::own) {  // gathered weights are those of the previous step
            gpu_->release("gathered weights", each.segment.size);
            drop(each);
        }
        const auto from = own_weights_.begin() + static_cast<std::ptrdiff_t>(each.own.at);
        std::copy_n(from, each.own.length, weights_.begin() + static_cast<std::ptrdiff_t>(each.own.begin));
        if (options_.stage < 3) {
            gather(each);
        }
    }
    own_gradient_.assign(own_gradient_.size(), 0.0);
}

}  // namespace sim::parallel
