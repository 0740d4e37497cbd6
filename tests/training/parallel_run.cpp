#include "tests/training/parallel_run.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <stdexcept>

namespace sim::test {

using namespace sim::lesson;

namespace {

constexpr std::uint64_t seed = 5;

// A rank's place in the mesh: tensor varies fastest, then context, experts, pipeline.
struct Seat {
    int tensor = 0;
    int context = 0;
    int experts = 0;
    int pipeline = 0;
};

Seat seat_of(const Mesh& mesh, int rank) {
    return {.tensor = rank % mesh.tensor,
            .context = rank / mesh.tensor % mesh.context,
            .experts = rank / (mesh.tensor * mesh.context) % mesh.experts,
            .pipeline = rank / (mesh.tensor * mesh.context * mesh.experts)};
}

TeamGroup along(Team& team, int rank, int size, int stride, int position) {
    TeamGroup group{.team = &team, .ranks = {}, .position = static_cast<std::size_t>(position)};
    for (int i = 0; i < size; ++i) {
        group.ranks.push_back(rank + (i - position) * stride);
    }
    return group;
}

PartPlacement placement_of(const Shape& shape, const Mesh& mesh, Seat seat) {
    const Share layers = even_shares(shape.layers, mesh.pipeline)[static_cast<std::size_t>(seat.pipeline)];
    return {.first_layer = layers.first,
            .layer_count = layers.count,
            .has_embedding = seat.pipeline == 0,
            .has_head = seat.pipeline + 1 == mesh.pipeline,
            .tensor = {seat.tensor, mesh.tensor},
            .experts = {seat.experts, mesh.experts},
            .context = {seat.context, mesh.context},
            .sequence_parallel = mesh.sequence_parallel};
}

std::vector<double> flat(const Matrix& x) {
    return {x.data(), x.data() + x.size()};
}

Surroundings surroundings_of(Team& team, const Shape& shape, const Mesh& mesh, const PartPlacement& placement,
                             int rank) {
    const Seat seat = seat_of(mesh, rank);
    const TeamGroup tensor = along(team, rank, mesh.tensor, 1, seat.tensor);
    const TeamGroup context = along(team, rank, mesh.context, mesh.tensor, seat.context);
    const TeamGroup experts = along(team, rank, mesh.experts, mesh.tensor * mesh.context, seat.experts);
    const int rows = stream_rows(shape, placement);
    Surroundings around;
    if (mesh.sequence_parallel) {
        around.enter = [=](const Matrix& x) { return tensor.gathered(x, rows); };
        around.leave = [=](const Matrix& x) { return tensor.scattered_sum(x, rows); };
        around.leave_backward = around.enter;
        around.enter_backward = around.leave;
    } else if (mesh.tensor > 1) {
        around.leave = [=](const Matrix& x) { return tensor.sum(x); };
        around.enter_backward = around.leave;
    }
    around.rotate = [=](const std::vector<double>& x) { return flat(context.rotated(rows_of(x, 1))); };
    around.exchange = [=](const std::vector<std::vector<double>>& parts) {
        std::vector<Matrix> sent;
        std::transform(parts.begin(), parts.end(), std::back_inserter(sent),
                       [](const std::vector<double>& part) { return rows_of(part, 1); });
        std::vector<std::vector<double>> came;
        for (const Matrix& part : experts.exchange(std::move(sent))) {
            came.push_back(flat(part));
        }
        return came;
    };
    return around;
}

struct Result {
    std::vector<double> gradient;
    double loss = 0;
};

// Forward and backward passes of all micro-batches, between the previous and the next stage.
Result pass_through(Team& team, Stage& stage, const Shape& shape, const Mesh& mesh, int rank, Share items,
                    int micro_batches, std::span<const double> weights) {
    const Seat seat = seat_of(mesh, rank);
    const int apart = mesh.tensor * mesh.context * mesh.experts;
    const bool first = seat.pipeline == 0;
    const bool last = seat.pipeline + 1 == mesh.pipeline;
    Result result{.gradient = std::vector<double>(stage.weight_count())};
    for (int m = 0; m < micro_batches; ++m) {
        Share share = even_shares(items.count, micro_batches)[static_cast<std::size_t>(m)];
        share.first += items.first;
        Matrix x = stage.forward(weights, m, make_batch(shape, seed, share),
                                 first ? Matrix() : team.receive(rank - apart, rank));
        result.loss += stage.loss(m);
        if (!last) {
            team.send(rank, rank + apart, std::move(x));
        }
    }
    for (int m = 0; m < micro_batches; ++m) {
        Matrix dy = last ? Matrix() : team.receive(rank + apart, rank);
        dy = mesh.split_backward ? stage.backward_input(weights, m, std::move(dy))
                                 : stage.backward(weights, m, std::move(dy), result.gradient);
        if (!first) {
            team.send(rank, rank - apart, std::move(dy));
        }
    }
    for (int m = 0; mesh.split_backward && m < micro_batches; ++m) {
        stage.backward_weight(m, result.gradient);
    }
    return result;
}

void add_partial(const TeamGroup& tensor, const Stage& stage, std::vector<double>& gradient) {
    for (const Range range : stage.partial_over_tensor()) {
        Eigen::Map<Matrix> part(gradient.data() + range.begin, 1, static_cast<Index>(range.end - range.begin));
        part = tensor.sum(part);
    }
}

}  // namespace

ParallelRun run_parallel(const Shape& shape, const Mesh& mesh, int items, int micro_batches) {
    const std::vector<double> whole_weights = initial_weights(shape, seed);
    const auto parts = static_cast<std::size_t>(mesh.tensor);
    ParallelRun run{.gradients = std::vector(parts, std::vector<double>(whole_weights.size())),
                    .held = std::vector(parts, std::vector<bool>(whole_weights.size()))};
    std::mutex mutex;
    Team team;
    team.run(mesh.ranks(), [&](int rank) {
        const Seat seat = seat_of(mesh, rank);
        const PartPlacement placement = placement_of(shape, mesh, seat);
        Stage stage(shape, placement, surroundings_of(team, shape, mesh, placement, rank));
        const std::vector<std::size_t> places = stage.places();
        std::vector<double> weights;
        for (const std::size_t place : places) {
            weights.push_back(whole_weights[place]);
        }
        Result result = pass_through(team, stage, shape, mesh, rank,
                                     even_shares(items, mesh.experts)[static_cast<std::size_t>(seat.experts)],
                                     micro_batches, weights);
        add_partial(along(team, rank, mesh.tensor, 1, seat.tensor), stage, result.gradient);

        const std::lock_guard lock(mutex);
        const auto part = static_cast<std::size_t>(seat.tensor);
        for (std::size_t i = 0; i < places.size(); ++i) {
            run.gradients[part][places[i]] += result.gradient[i];
            run.held[part][places[i]] = true;
        }
        run.loss += result.loss;
    });
    if (!team.all_received()) {
        throw std::logic_error("something was sent that nobody received");
    }
    return run;
}

AloneRun run_alone(const Shape& shape, int items) {
    const std::vector<double> weights = initial_weights(shape, seed);
    Stage stage(shape, whole(shape));
    AloneRun run{.gradient = std::vector<double>(weights.size())};
    stage.forward(weights, 0, make_batch(shape, seed, {.first = 0, .count = items}));
    run.loss = stage.loss(0);
    stage.backward(weights, 0, {}, run.gradient);
    return run;
}

}  // namespace sim::test
