#include "scenarios/lesson/trainer/chunk.hpp"

#include "scenarios/lesson/transformer/alone.hpp"

#include <algorithm>

namespace sim::lesson {

namespace {

// Gradients of several chunks and packs are summed concurrently, each on its own stream.
Stream stream_of(int chunk, bool experts) {
    return Stream{static_cast<std::uint8_t>(1 + (2 * chunk + (experts ? 1 : 0)) % most_streams)};
}

}  // namespace

StageChunk::StageChunk(GPU& gpu, const scenarios::Options& options, const RankPlan& plan, const Costs& costs,
                       Meter& meter, int index)
    : gpu_(&gpu),
      options_(&options),
      plan_(&plan),
      meter_(&meter),
      placement_(plan.chunks[static_cast<std::size_t>(index)]),
      stage_(options.shape, placement_, surroundings(costs)),
      gradient_(stage_.weight_count(), 0.0),
      done_(static_cast<std::size_t>(placement_.layer_count), 0) {
    const std::vector<double> whole = initial_weights(options.shape, options.unsigned_seed());
    for (const std::size_t place : stage_.places()) {
        weights_.push_back(whole[place]);
    }
    const Group tensor = plan.along({"tp"});
    shared_ = std::make_unique<Replica>(gpu, options, pack(false, costs),
                                        ReplicaGroups{plan.replicas({"dp", "ep", "cp"}), tensor},
                                        stream_of(index, false), weights_);
    if (options.shape.experts > 0) {
        experts_ = std::make_unique<Replica>(gpu, options, pack(true, costs),
                                             ReplicaGroups{plan.replicas({"dp", "cp"}), tensor}, stream_of(index, true),
                                             weights_);
    }
}

Surroundings StageChunk::surroundings(const Costs& costs) {
    Surroundings around = exchanges_of(*gpu_, *plan_, options_->shape, costs, *meter_);
    around.work = [this, &costs](Region region, LayerPass pass) {
        meter_->add(costs.compute(items_, layer_, region, pass), layer_);
    };
    around.begin_layer = [this](int layer, LayerPass pass) {
        layer_ = layer;
        if (pass != LayerPass::backward_weight) {
            use(index_of(layer), pass == LayerPass::forward ? sim::Pass::forward : sim::Pass::backward);
        }
    };
    around.end_layer = [this](int layer, LayerPass pass) {
        const std::size_t index = index_of(layer);
        if (pass == LayerPass::backward_weight && layer == lowest_unit(index)) {
            layer_done(index);
        }
    };
    return around;
}

// Embedding and head belong to the adjacent layers.
std::size_t StageChunk::index_of(int layer) const {
    return static_cast<std::size_t>(std::clamp(layer - placement_.first_layer, 0, placement_.layer_count - 1));
}

// The part of a layer whose gradient comes last.
int StageChunk::lowest_unit(std::size_t layer) const {
    return layer == 0 && placement_.has_embedding ? -1 : placement_.first_layer + static_cast<int>(layer);
}

Pack StageChunk::pack(bool experts, const Costs& costs) const {
    std::vector<std::vector<std::size_t>> by_layer(static_cast<std::size_t>(placement_.layer_count));
    for (const LayerWeights& segment : stage_.segments()) {
        std::vector<std::size_t>& places = by_layer[index_of(segment.layer)];
        for (std::size_t i = experts ? segment.dense_end : segment.begin;
             i < (experts ? segment.end : segment.dense_end); ++i) {
            places.push_back(i);
        }
    }
    const std::vector<Range> partial = stage_.partial_over_tensor();
    Pack layout;
    for (std::size_t layer = 0; layer < by_layer.size(); ++layer) {
        const int number = placement_.first_layer + static_cast<int>(layer);
        const Units size = experts ? costs.expert_gradient(number) : costs.dense_gradient(number);
        const std::size_t begin = layout.places.size();
        for (const std::size_t place : by_layer[layer]) {
            const auto holds = [&](const Range& range) { return range.begin <= place && place < range.end; };
            if (std::any_of(partial.begin(), partial.end(), holds)) {
                layout.partial.push_back(layout.places.size());
            }
            layout.places.push_back(place);
        }
        layout.segments.push_back({begin, layout.places.size(), size});
    }
    return layout;
}

void StageChunk::use(std::size_t layer, sim::Pass pass) {
    if (in_use_ == layer) {
        return;
    }
    end_use();
    if (options_->zero == 3) {
        meter_->settle();
    }
    each_pack([&](Replica& pack) { pack.before_use(layer, pass); });
    in_use_ = layer;
}

void StageChunk::end_use() {
    if (!in_use_) {
        return;
    }
    if (options_->zero == 3) {
        meter_->settle();
    }
    each_pack([&](Replica& pack) { pack.after_use(*in_use_); });
    in_use_.reset();
}

void StageChunk::layer_done(std::size_t layer) {
    if (options_->works_in_layers()) {
        meter_->settle();  // later effects are visible to other ranks
    }
    const bool last = ++done_[layer] == plan_->micro_batches_of_chunk();
    each_pack([&](Replica& pack) { pack.layer_done(layer, gradient_, last); });
}

Matrix StageChunk::forward(int micro_batch, const TokenBatch& batch, Matrix x) {
    items_ = plan_->micro_batches[static_cast<std::size_t>(micro_batch)].count;
    Matrix y = stage_.forward(weights_, micro_batch, batch, std::move(x));
    end_use();
    return y;
}

Matrix StageChunk::backward(int micro_batch, Matrix dy) {
    items_ = plan_->micro_batches[static_cast<std::size_t>(micro_batch)].count;
    Matrix dx = stage_.backward(weights_, micro_batch, std::move(dy), gradient_);
    end_use();
    return dx;
}

Matrix StageChunk::backward_input(int micro_batch, Matrix dy) {
    items_ = plan_->micro_batches[static_cast<std::size_t>(micro_batch)].count;
    Matrix dx = stage_.backward_input(weights_, micro_batch, std::move(dy));
    end_use();
    return dx;
}

void StageChunk::backward_weight(int micro_batch) {
    items_ = plan_->micro_batches[static_cast<std::size_t>(micro_batch)].count;
    stage_.backward_weight(micro_batch, gradient_);
}

void StageChunk::accumulate() {
    each_pack([](Replica& pack) { pack.accumulate(); });
}

void StageChunk::update(int items) {
    each_pack([&](Replica& pack) { pack.update(items); });
    done_.assign(done_.size(), 0);
}

void StageChunk::average(double share) {
    each_pack([&](Replica& pack) { pack.average(share); });
}

void StageChunk::add_state(TrainingState& state) const {
    const std::vector<std::size_t> in_model = stage_.places();
    for (const Replica* const pack : {shared_.get(), experts_.get()}) {
        if (pack != nullptr) {
            PackState& added = state.emplace_back(pack->state());
            for (std::uint64_t& place : added.places) {
                place = in_model[place];
            }
        }
    }
}

void StageChunk::restore(std::span<const PackState>& state) {
    each_pack([&](Replica& pack) {
        pack.restore(state.front());
        state = state.subspan(1);
    });
}

std::vector<double> StageChunk::weights() const {
    std::vector<double> here;
    for (const Replica* const pack : {shared_.get(), experts_.get()}) {
        for (const std::size_t place : pack != nullptr ? pack->held_places() : std::vector<std::size_t>{}) {
            here.push_back(weights_[place]);
        }
    }
    return here;
}

std::vector<std::size_t> StageChunk::places() const {
    const std::vector<std::size_t> in_model = stage_.places();
    std::vector<std::size_t> here;
    for (const Replica* const pack : {shared_.get(), experts_.get()}) {
        for (const std::size_t place : pack != nullptr ? pack->held_places() : std::vector<std::size_t>{}) {
            here.push_back(in_model[place]);
        }
    }
    return here;
}

}  // namespace sim::lesson
