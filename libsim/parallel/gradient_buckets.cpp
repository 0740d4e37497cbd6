#include "libsim/parallel/gradient_buckets.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace sim::parallel {

GradientBuckets::GradientBuckets(GPU& gpu, Group group, std::vector<Bucket> buckets, const BucketOptions& options)
    : gpu_(&gpu),
      group_(std::move(group)),
      buckets_(std::move(buckets)),
      options_(options),
      ready_(buckets_.size()),
      started_(buckets_.size()) {
    for (const Bucket& bucket : buckets_) {
        if (bucket.end < bucket.begin) {
            throw ProgramError(fmt::format("a bucket is [begin, end), not [{}, {})", bucket.begin, bucket.end));
        }
        sums_.emplace_back(options_.compression, bucket.length());
    }
}

void GradientBuckets::ready(int bucket, std::span<double> gradient) {
    const auto index = static_cast<std::size_t>(bucket);
    if (bucket < 0 || index >= buckets_.size()) {
        throw ProgramError(fmt::format("bucket {} does not exist: there are {}, from 0 on", bucket, buckets_.size()));
    }
    if (ready_[index]) {
        throw ProgramError(fmt::format("bucket {} is ready twice in one step; finish() ends a step", bucket));
    }
    ready_[index] = true;
    if (options_.overlap) {
        started_[index] = true;
        under_way_.push_back(gpu_->on(options_.stream, [&] { all_reduce_bucket(index, gradient); }));
    }
}

void GradientBuckets::finish(std::span<double> gradient) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        if (!started_[bucket]) {
            all_reduce_bucket(bucket, gradient);
        }
    }
    for (const Handle& handle : under_way_) {
        gpu_->wait(handle);
    }
    under_way_.clear();
    ready_.assign(buckets_.size(), false);
    started_.assign(buckets_.size(), false);
}

std::vector<std::vector<double>> GradientBuckets::unsent() const {
    std::vector<std::vector<double>> unsent;
    for (const CompressedSum& sum : sums_) {
        unsent.emplace_back(sum.remembered().begin(), sum.remembered().end());
    }
    return unsent;
}

void GradientBuckets::remember(const std::vector<std::vector<double>>& unsent) {
    for (std::size_t bucket = 0; bucket < sums_.size(); ++bucket) {
        sums_[bucket].remember(unsent.at(bucket));
    }
}

void GradientBuckets::all_reduce_bucket(std::size_t bucket, std::span<double> gradient) {
    const Bucket& part = buckets_[bucket];
    if (part.end > gradient.size()) {
        throw ProgramError(fmt::format("bucket {} is [{}, {}) of a gradient of {} elements", bucket, part.begin,
                                       part.end, gradient.size()));
    }
    sums_[bucket].all_reduce(*gpu_, group_, gradient.subspan(part.begin, part.length()), part.size, options_.reduction,
                             options_.config);
}

namespace {

// Goes from the last layer to the first; `is_full(buckets so far, layers left, size so far)` closes a bucket.
template <class IsFull>
std::vector<Bucket> put_together(std::span<const Segment> layers, const IsFull& is_full) {
    check_segments(layers);
    std::vector<Bucket> buckets;
    bool open = false;
    std::int64_t so_far = 0;  // of all buckets
    for (std::size_t left = layers.size(); left-- > 0;) {
        const Segment& layer = layers[left];
        if (open) {
            buckets.back().begin = layer.begin;
            add_checked(buckets.back().size.amount, layer.size.amount);
        } else {
            buckets.push_back(layer);
        }
        add_checked(so_far, layer.size.amount);
        open = !is_full(buckets, left, so_far);
    }
    return buckets;
}

}  // namespace

std::vector<Bucket> cut_into_buckets(std::span<const Segment> layers, int count) {
    if (count < 1 || static_cast<std::size_t>(count) > layers.size()) {
        throw ProgramError(
            fmt::format("{} layers cannot be cut into {} buckets of whole layers", layers.size(), count));
    }
    check_segments(layers);
    const auto wanted = static_cast<std::size_t>(count);
    const Wide all = total_size(layers).amount;
    return put_together(layers, [&](const std::vector<Bucket>& buckets, std::size_t left, std::int64_t so_far) {
        if (buckets.size() == wanted) {
            return false;
        }
        // At half of the next layer, closing before it and closing after it are equally far off.
        const Wide next = left > 0 ? layers[left - 1].size.amount : 0;
        const Wide twice_the_end = 2 * all * static_cast<Wide>(buckets.size());
        const bool is_near = (2 * Wide{so_far} + next) * static_cast<Wide>(wanted) > twice_the_end;
        return left == wanted - buckets.size() || is_near;
    });
}

std::vector<Bucket> cut_into_buckets(std::span<const Segment> layers, Size target) {
    check_segments(layers);
    if (target.amount <= 0 || target.measure != layers[0].size.measure) {
        throw ProgramError("a bucket's target size must be above 0 and in the measure of the layers' sizes");
    }
    return put_together(layers, [&](const std::vector<Bucket>& buckets, std::size_t, std::int64_t) {
        return buckets.back().size.amount >= target.amount;
    });
}

}  // namespace sim::parallel
