#include "scenarios/lesson/trainer/replica.hpp"

#include "libsim/collectives/all_reduce.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sim::lesson {

namespace {

Compression compression_of(const scenarios::Options& options) {
    if (options.compress == "top-k") {
        return TopK{options.compress_fraction};
    }
    if (options.compress == "16-bit") {
        return SixteenBit{};
    }
    return Uncompressed{};
}

BucketOptions bucket_options(const scenarios::Options& options, Stream stream) {
    return {.overlap = options.overlap,
            .stream = stream,
            .config = options.synchronize,
            .compression = compression_of(options)};
}

void add(std::span<double> sum, std::span<const double> values) {
    std::transform(sum.begin(), sum.end(), values.begin(), sum.begin(), std::plus<>());
}

}  // namespace

Replica::Replica(GPU& gpu, const scenarios::Options& options, Pack layout, const ReplicaGroups& groups, Stream stream,
                 std::span<double> weights)
    : gpu_(&gpu),
      layout_(std::move(layout)),
      replicas_(groups.replicas),
      tensor_(groups.tensor),
      algorithm_(options.synchronize),
      stage_weights_(weights),
      ready_(layout_.segments.size()),
      zero_stage_(groups.replicas.size() > 1 ? options.zero : 0) {
    for (const std::size_t place : layout_.places) {
        weights_.push_back(weights[place]);
    }
    gradient_.assign(weights_.size(), 0.0);
    std::size_t updated = weights_.size();
    const int states = states_per_weight(options.optimizer);
    if (zero_stage_ > 0) {
        zero_.emplace(gpu, groups.replicas, layout_.segments, weights_,
                      ZeroOptions{.stage = zero_stage_,
                                  .overlap = options.overlap,
                                  .prefetch = options.overlap,
                                  .stream = stream,
                                  .optimizer_states = static_cast<double>(states)});
        copy_out(0, weights_.size());
        updated = zero_->own_weights().size();
    } else {
        count_memory(states);
        if (groups.replicas.size() > 1 && !options.averages_models()) {
            const int count = std::min(options.buckets, static_cast<int>(layout_.segments.size()));
            buckets_.emplace(gpu, groups.replicas, cut_into_buckets(layout_.segments, count),
                             bucket_options(options, stream));
        }
    }
    optimizer_.emplace(options.optimizer, updated);
}

void Replica::count_memory(int optimizer_states) {
    const Size size = total_size(layout_.segments);
    gpu_->allocate("weights", size);
    gpu_->allocate("gradients", size);
    gpu_->allocate("optimizer states", {optimizer_states * size.amount, size.measure});
}

void Replica::before_use(std::size_t layer, sim::Pass pass) {
    if (zero_stage_ == 3) {
        zero_->before_use(static_cast<int>(layer), pass);
        copy_out(layout_.segments[layer].begin, layout_.segments[layer].end);
    }
}

void Replica::after_use(std::size_t layer) {
    if (zero_stage_ == 3) {
        zero_->after_use(static_cast<int>(layer));
        copy_out(layout_.segments[layer].begin, layout_.segments[layer].end);
    }
}

void Replica::layer_done(std::size_t layer, std::span<double> gradient, bool last_micro_batch) {
    const sim::Segment& segment = layout_.segments[layer];
    for (std::size_t i = segment.begin; i < segment.end; ++i) {
        gradient_[i] += std::exchange(gradient[layout_.places[i]], 0.0);
    }
    if (zero_stage_ >= 2) {
        zero_->gradient_ready(static_cast<int>(layer), gradient_);
        std::fill(gradient_.begin() + static_cast<std::ptrdiff_t>(segment.begin),
                  gradient_.begin() + static_cast<std::ptrdiff_t>(segment.end), 0.0);
    } else if (buckets_ && last_micro_batch) {
        ready_[layer] = true;
        start_full_bucket(segment);
    }
}

// Starts the bucket that holds `segment` if all of its layers are ready.
void Replica::start_full_bucket(const sim::Segment& segment) {
    const auto holds = [&](const Bucket& bucket) { return bucket.begin <= segment.begin && segment.end <= bucket.end; };
    const std::vector<Bucket>& all = buckets_->buckets();
    const auto bucket = std::find_if(all.begin(), all.end(), holds);
    for (std::size_t layer = 0; layer < layout_.segments.size(); ++layer) {
        const sim::Segment& other = layout_.segments[layer];
        if (bucket->begin <= other.begin && other.end <= bucket->end && !ready_[layer]) {
            return;
        }
    }
    buckets_->ready(static_cast<int>(bucket - all.begin()), gradient_);
}

void Replica::accumulate() {
    if (buckets_) {
        buckets_->finish(gradient_);
        ready_.assign(ready_.size(), false);
    }
    sum_.resize(gradient_.size());
    add(sum_, gradient_);
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
}

void Replica::update(int items) {
    if (zero_) {
        update_own_part(items);
    } else {
        accumulate();
        sum_over_tensor(sum_, layout_.partial);
        if (items > 0) {
            optimizer_->step(weights_, sum_, items);
        }
        std::fill(sum_.begin(), sum_.end(), 0.0);
    }
    copy_out(0, weights_.size());
}

void Replica::average(double share) {
    for (double& weight : weights_) {
        weight *= share;
    }
    all_reduce(*gpu_, replicas_, weights_, total_size(layout_.segments), Reduction::sum, algorithm_);
    copy_out(0, weights_.size());
}

void Replica::update_own_part(int items) {
    if (zero_stage_ == 1) {
        for (std::size_t layer = 0; layer < layout_.segments.size(); ++layer) {
            zero_->gradient_ready(static_cast<int>(layer), gradient_);
        }
    }
    zero_->finish_gradients();
    std::vector<double> gradient(zero_->own_gradient().begin(), zero_->own_gradient().end());
    std::vector<std::size_t> partial;
    const std::vector<std::size_t> own = zero_->own_places();
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (std::binary_search(layout_.partial.begin(), layout_.partial.end(), own[i])) {
            partial.push_back(i);
        }
    }
    sum_over_tensor(gradient, partial);
    optimizer_->step(zero_->own_weights(), gradient, items);
    zero_->publish();
    gradient_.assign(gradient_.size(), 0.0);
}

// A few small arrays, whose size no option counts: they cost only latency.
void Replica::sum_over_tensor(std::span<double> gradient, std::span<const std::size_t> places) {
    if (tensor_.size() == 1 || layout_.partial.empty()) {
        return;
    }
    std::vector<double> packed;
    for (const std::size_t place : places) {
        packed.push_back(gradient[place]);
    }
    all_reduce(*gpu_, tensor_, packed, Units{0});
    for (std::size_t i = 0; i < places.size(); ++i) {
        gradient[places[i]] = packed[i];
    }
}

void Replica::copy_out(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        stage_weights_[layout_.places[i]] = weights_[i];
    }
}

PackState Replica::state() const {
    PackState state{.places = {layout_.places.begin(), layout_.places.end()},
                    .weights = weights_,
                    .own = {},
                    .optimizer = optimizer_->state(),
                    .unsent = buckets_ ? buckets_->unsent() : std::vector<std::vector<double>>{}};
    if (zero_) {
        const std::vector<std::size_t> own = zero_->own_places();
        state.own.assign(own.begin(), own.end());
    } else {
        state.own.resize(weights_.size());
        std::iota(state.own.begin(), state.own.end(), std::uint64_t{0});
    }
    return state;
}

void Replica::restore(const PackState& state) {
    if (zero_) {
        zero_->restore(state.weights);
    } else {
        std::copy(state.weights.begin(), state.weights.end(), weights_.begin());
    }
    optimizer_->restore(state.optimizer);
    if (buckets_ && !state.unsent.empty()) {
        buckets_->remember(state.unsent);
    }
    copy_out(0, weights_.size());
}

std::vector<std::size_t> Replica::held_places() const {
    if (zero_stage_ < 3) {
        return layout_.places;
    }
    std::vector<std::size_t> places;
    for (const std::size_t own : zero_->own_places()) {
        places.push_back(layout_.places[own]);
    }
    return places;
}

}  // namespace sim::lesson
