#include "libsim/report/mesh_axes.hpp"

#include <utility>
#include <vector>

namespace sim::report {

void add_axes(Timeline& timeline, std::initializer_list<const char*> names,
              const std::function<int(int rank, const char* axis)>& coordinate) {
    for (const char* const axis : names) {
        std::vector<int> of_rank;
        for (int rank = 0; rank < timeline.ranks; ++rank) {
            of_rank.push_back(coordinate(rank, axis));
        }
        timeline.add_axis(axis, std::move(of_rank));
    }
}

}  // namespace sim::report
