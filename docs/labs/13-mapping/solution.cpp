// Lab 13: four axes of parallelism on nodes: who may use the fast links?
#include <libsim/collectives/all_reduce.hpp>
#include <ranks/lab.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace {

// An axis of the mesh: in a step its groups of `size` ranks move a message of `bytes` `times` times.
struct Axis {
    std::string name;
    int size;
    std::int64_t bytes;
    std::int64_t times;
    int stride = 0;  // from one rank of a group to the next
};
using Axes = std::array<Axis, 4>;

void set_strides([[maybe_unused]] sim::GPU& gpu, [[maybe_unused]] Axes& axes) {
    // Your lines begin here: choose the order of the axes, the innermost first, and give each its stride. The innermost
    // has stride 1; its groups are neighbours, and so lie in one node, if they fit in.
    // Starter: sim::lab::gap(gpu, "order the axes and give each its stride");
    std::array<Axis*, 4> order{};
    std::transform(axes.begin(), axes.end(), order.begin(), [](Axis& axis) { return &axis; });
    std::sort(order.begin(), order.end(),
              [](const Axis* a, const Axis* b) { return a->bytes * a->times > b->bytes * b->times; });
    int stride = 1;
    for (Axis* const axis : order) {
        axis->stride = stride;
        stride *= axis->size;
    }
    // Your lines end here.
}

// The ranks that differ from this one along the axis alone.
sim::Group group_of(const sim::GPU& gpu, const Axis& axis) {
    const int first = gpu.rank() - gpu.rank() / axis.stride % axis.size * axis.stride;
    return sim::Group::strided(first, axis.stride, axis.size);
}

// Activations go on from stage to stage of the pipeline.
void pass_on(sim::GPU& gpu, const Axis& axis) {
    const int stage = gpu.rank() / axis.stride % axis.size;
    for (int i = 0; i < axis.times; ++i) {
        if (stage + 1 < axis.size) {
            gpu.send(gpu.rank() + axis.stride, axis.name, sim::Bytes{axis.bytes});
        }
        if (stage > 0) {
            gpu.receive(gpu.rank() - axis.stride, axis.name, sim::Bytes{axis.bytes});
        }
    }
}

void program(sim::GPU& gpu, const sim::lab::Given& given) {
    const auto axis = [&](const std::string& name) {
        return Axis{name, static_cast<int>(given.whole(name)), given.whole(name + "_bytes"),
                    given.whole(name + "_times")};
    };
    Axes axes{axis("tp"), axis("cp"), axis("dp"), axis("pp")};
    set_strides(gpu, axes);
    for (const Axis& each : axes) {
        const std::vector<int> ranks = group_of(gpu, each).ranks();
        gpu.report(each.name, std::vector<double>(ranks.begin(), ranks.end()));
        for (int i = 0; each.name != "pp" && i < each.times; ++i) {
            sim::all_reduce(gpu, group_of(gpu, each), sim::Bytes{each.bytes});
        }
    }
    pass_on(gpu, axes[3]);
}

}  // namespace

NDSIM_LAB(program)
