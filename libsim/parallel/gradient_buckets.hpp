// Data parallelism sums all members' gradients bucket by bucket, overlapped with the backward pass or after it.
//
//   GradientBuckets buckets(gpu, world(gpu), cut_into_buckets(layers, 4), {.overlap = true});
//   for each bucket, in the order of the backward pass:   compute its part of `gradient`;  buckets.ready(b, gradient);
//   buckets.finish(gradient);                             // now `gradient` is the sum
//
// With overlap a bucket's all-reduce begins on the stream when it is ready; otherwise all run in finish(), one after
// another. Cost, for m buckets that each take R to all-reduce, ready at r(0) <= r(1) <= …:
//   overlap      e(k) = max(r(k), e(k-1)) + R,  end = e(m-1)
//   otherwise    end = r(m-1) + m R
// A bucket sends a ring's 2 (n-1) messages; more buckets hide more time, and pay more latencies.
// Source: Li et al., "PyTorch Distributed", VLDB 13 (2020).
// Errors: ProgramError for a bucket that does not exist, is ready twice in one step, or is outside of the gradient.
#pragma once

#include "libsim/gpu.hpp"
#include "libsim/parallel/compression.hpp"
#include "libsim/parallel/segment.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace sim::parallel {

using Bucket = Segment;

struct BucketOptions {
    bool overlap = true;
    Stream stream{1};
    Reduction reduction = Reduction::sum;
    AlgorithmConfig config = Algorithm::ring;
    Compression compression = {};  // TopK{…}, SixteenBit{}: see compression.hpp
};

class GradientBuckets {
public:
    // `buckets` are in the order in which they become ready, last layers first. All members pass the same.
    GradientBuckets(GPU& gpu, Group group, std::vector<Bucket> buckets, const BucketOptions& options = {});

    // This bucket's part of the whole `gradient` is final; the part must not be used until finish().
    void ready(int bucket, std::span<double> gradient);
    // Sends what has not been sent, waits for everything, and prepares for the next step.
    void finish(std::span<double> gradient);

    const std::vector<Bucket>& buckets() const { return buckets_; }

    // The compression errors that this member has not sent yet, by bucket. Call between steps.
    std::vector<std::vector<double>> unsent() const;
    // Restores them. Requires: they come from buckets like these.
    void remember(const std::vector<std::vector<double>>& unsent);

private:
    void all_reduce_bucket(std::size_t bucket, std::span<double> gradient);

    GPU* gpu_;
    Group group_;
    std::vector<Bucket> buckets_;
    BucketOptions options_;
    std::vector<CompressedSum> sums_;  // per bucket
    std::vector<bool> ready_;
    std::vector<bool> started_;
    std::vector<Handle> under_way_;
};

// Whole layers, grouped into buckets from the last layer to the first; `layers` as from segments_of(). `count` buckets:
// each ends where it and those before it hold their share of the total, as closely as whole layers allow. Throws
// ProgramError unless 1 <= count <= layers.
std::vector<Bucket> cut_into_buckets(std::span<const Segment> layers, int count);
// Buckets that are closed as soon as they hold `target` or more; the last one may hold less. Throws ProgramError for a
// target of 0 or in another measure.
std::vector<Bucket> cut_into_buckets(std::span<const Segment> layers, Size target);

}  // namespace sim::parallel
