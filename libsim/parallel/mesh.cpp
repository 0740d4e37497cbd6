#include "libsim/parallel/mesh.hpp"

#include "libsim/error.hpp"
#include "libsim/split.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace sim::parallel {

namespace {

void check_axes(const std::vector<Axis>& axes) {
    for (const Axis& axis : axes) {
        const auto same = [&](const Axis& other) { return other.name == axis.name; };
        if (std::count_if(axes.begin(), axes.end(), same) > 1) {
            throw ProgramError(fmt::format("axis \"{}\" is twice in one mesh", axis.name));
        }
        if (axis.size < 1) {
            throw ProgramError(
                fmt::format("axis \"{}\" has size {}; an axis has size 1 or more", axis.name, axis.size));
        }
    }
}

}  // namespace

Mesh::Mesh(std::vector<Axis> axes, std::string_view order) : axes_(std::move(axes)), strides_(axes_.size(), 0) {
    check_axes(axes_);
    for (const std::string& name : split(order, '-')) {
        const auto named = [&name](const Axis& axis) { return axis.name == name; };
        const auto found = std::find_if(axes_.begin(), axes_.end(), named);
        if (found == axes_.end()) {
            continue;
        }
        int& stride = strides_[static_cast<std::size_t>(found - axes_.begin())];
        if (stride != 0) {
            throw ProgramError(fmt::format("axis \"{}\" is twice in the order {}", name, order));
        }
        stride = size_;
        if (found->size > std::numeric_limits<int>::max() / size_) {
            throw ProgramError(fmt::format("{} are more ranks than there can be", product()));
        }
        size_ *= found->size;
    }
    const auto without = std::find(strides_.begin(), strides_.end(), 0);
    if (without != strides_.end()) {
        throw ProgramError(fmt::format("axis \"{}\" has no place in the order {}",
                                       axes_[static_cast<std::size_t>(without - strides_.begin())].name, order));
    }
}

std::size_t Mesh::number_of(std::string_view axis) const {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        if (axes_[i].name == axis) {
            return i;
        }
    }
    std::vector<std::string> names;
    for (const Axis& each : axes_) {
        names.push_back(each.name);
    }
    throw ProgramError(names.empty() ? fmt::format("no axis \"{}\"; this mesh has none", axis)
                                     : fmt::format("no axis \"{}\"; axes are {}", axis, fmt::join(names, ", ")));
}

void Mesh::check_rank(int rank) const {
    if (rank < 0 || rank >= size_) {
        throw ProgramError(fmt::format("no rank {} in {}; ranks are 0 to {}", rank, product(), size_ - 1));
    }
}

int Mesh::size(std::string_view axis) const {
    return axes_[number_of(axis)].size;
}

int Mesh::coordinate(int rank, std::string_view axis) const {
    check_rank(rank);
    return coordinate(rank, number_of(axis));
}

int Mesh::rank_of(std::span<const Coordinate> at) const {
    int rank = 0;
    std::vector<bool> named(axes_.size());
    for (const Coordinate& each : at) {
        const std::size_t axis = number_of(each.axis);
        if (named[axis]) {
            throw ProgramError(fmt::format("axis \"{}\" is twice in one place of a mesh", each.axis));
        }
        named[axis] = true;
        if (each.index < 0 || each.index >= axes_[axis].size) {
            throw ProgramError(
                fmt::format("no {} {}; {} is 0 to {}", each.axis, each.index, each.axis, axes_[axis].size - 1));
        }
        rank += each.index * strides_[axis];
    }
    return rank;
}

Group Mesh::along(int rank, std::string_view axis) const {
    return along(rank, std::span(&axis, 1));
}

Group Mesh::along(int rank, std::span<const std::string_view> names) const {
    check_rank(rank);
    std::vector<std::size_t> axes;
    int first = rank;
    int count = 1;
    for (const std::string_view name : names) {
        const std::size_t axis = number_of(name);
        if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
            throw ProgramError(fmt::format("axis \"{}\" is twice in one group", name));
        }
        axes.push_back(axis);
        first -= coordinate(rank, axis) * strides_[axis];
        count *= axes_[axis].size;
    }
    std::erase_if(axes, [this](std::size_t axis) { return axes_[axis].size == 1; });
    std::sort(axes.begin(), axes.end(), [this](std::size_t a, std::size_t b) { return strides_[a] < strides_[b]; });

    const auto gap = [this](std::size_t a, std::size_t b) { return strides_[b] != strides_[a] * axes_[a].size; };
    if (std::adjacent_find(axes.begin(), axes.end(), gap) == axes.end()) {
        return Group::strided(first, axes.empty() ? 1 : strides_[axes.front()], count);
    }
    std::vector<int> ranks{first};
    ranks.reserve(static_cast<std::size_t>(count));
    for (const std::size_t axis : axes) {
        const std::size_t inner = ranks.size();
        for (int index = 1; index < axes_[axis].size; ++index) {
            for (std::size_t i = 0; i < inner; ++i) {
                ranks.push_back(ranks[i] + index * strides_[axis]);
            }
        }
    }
    return Group::of(std::move(ranks));
}

// "dp 3 x tp 2": axes of size 1 are omitted if there are others.
std::string Mesh::product() const {
    std::vector<std::string> factors;
    const bool all_one = std::all_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.size == 1; });
    for (const Axis& axis : axes_) {
        if (all_one || axis.size > 1) {
            factors.push_back(fmt::format("{} {}", axis.name, axis.size));
        }
    }
    return factors.empty() ? "a mesh without axes" : fmt::format("{}", fmt::join(factors, " x "));
}

void Mesh::check_world(int ranks) const {
    if (ranks == size_) {
        return;
    }
    std::vector<std::string> fits;
    for (const Axis& axis : axes_) {
        const int others = size_ / axis.size;
        if (ranks > 0 && ranks % others == 0) {
            fits.push_back(fmt::format("{} {}", axis.name, ranks / others));
        }
    }
    throw ProgramError(
        fmt::format("{} = {} rank{}, but there are {}; {} would fit", product(), size_, size_ == 1 ? "" : "s", ranks,
                    fits.empty() ? "no other size of one axis" : fmt::format("{}", fmt::join(fits, " or "))));
}

}  // namespace sim::parallel
