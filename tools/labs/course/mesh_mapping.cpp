#include "tools/labs/course/mesh_mapping.hpp"

#include "libsim/collectives/all_reduce.hpp"

#include <algorithm>

namespace sim::labs {

MeshAxes axes_of(const Given& given) {
    const auto axis = [&given](const char* name) {
        const std::string text = name;
        return MeshAxis{name, static_cast<int>(given.whole(text)), given.whole(text + "_bytes"),
                        given.whole(text + "_times")};
    };
    return {axis("tp"), axis("cp"), axis("dp"), axis("pp")};
}

void lay_out(MeshAxes& axes, const std::array<int, 4>& order) {
    int stride = 1;
    for (const int each : order) {
        MeshAxis& axis = axes.at(static_cast<std::size_t>(each));
        axis.stride = stride;
        stride *= axis.size;
    }
}

std::array<int, 4> largest_first(const MeshAxes& axes, const std::function<std::int64_t(const MeshAxis&)>& size) {
    std::array<int, 4> order{0, 1, 2, 3};
    const auto size_at = [&](int at) { return size(axes.at(static_cast<std::size_t>(at))); };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return size_at(a) > size_at(b); });
    return order;
}

void run_mapped(GPU& gpu, const MeshAxes& axes) {
    for (const MeshAxis& axis : axes) {
        const int place = gpu.rank() / axis.stride % axis.size;
        const Group group = Group::strided(gpu.rank() - place * axis.stride, axis.stride, axis.size);
        const std::vector<int> ranks = group.ranks();
        gpu.report(axis.name, std::vector<double>(ranks.begin(), ranks.end()));
        const bool is_pipeline = &axis == &axes.back();
        for (std::int64_t i = 0; i < axis.times; ++i) {
            if (!is_pipeline) {
                all_reduce(gpu, group, Bytes{axis.bytes});
                continue;
            }
            if (place + 1 < axis.size) {
                gpu.send(gpu.rank() + axis.stride, axis.name, Bytes{axis.bytes});
            }
            if (place > 0) {
                gpu.receive(gpu.rank() - axis.stride, axis.name, Bytes{axis.bytes});
            }
        }
    }
}

}  // namespace sim::labs
