// A mesh arranges the ranks as a box: every rank has one coordinate on each named axis (dp, tp, pp, …).
//
//   Mesh mesh({{"dp", 2}, {"tp", 2}, {"pp", 2}});
//   mesh.coordinate(5, "tp")             1: tp is innermost, so ranks 4 and 5 differ in tp alone
//   mesh.along(5, "dp")                  ranks 5 and 7: they differ from 5 in dp alone
//
// The order says which axis varies fastest from rank to rank. By default tp, then cp, ep, dp, pp: ranks that
// communicate most are neighbours, and so share a node. It is Megatron-LM's order (--use-tp-pp-dp-mapping off); source:
// Narayanan et al., SC21 (2021), and megatron/core/parallel_state.py.
// A mesh is a value; groups along one axis, or along axes adjacent in the order, take no memory.
// Errors: ProgramError for an unknown or repeated axis, a size below 1, more ranks than an int holds, or a rank or
// coordinate out of range.
#pragma once

#include "libsim/group.hpp"
#include "libsim/namespaces.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::parallel {

struct Axis {
    std::string name;
    int size = 1;
};

struct Coordinate {
    std::string_view axis;
    int index = 0;
};

class Mesh {
public:
    static constexpr std::string_view default_order = "tp-cp-ep-dp-pp";

    // `order` lists the axes from the innermost outwards, and may include axes that the mesh does not have.
    explicit Mesh(std::vector<Axis> axes, std::string_view order = default_order);

    int size() const { return size_; }  // ranks
    int size(std::string_view axis) const;
    const std::vector<Axis>& axes() const { return axes_; }  // as given

    int coordinate(int rank, std::string_view axis) const;
    // Axes that are not named have coordinate 0.
    int rank_of(std::span<const Coordinate> at) const;
    int rank_of(std::initializer_list<Coordinate> at) const { return rank_of(std::span(at.begin(), at.size())); }

    // The ranks that differ from `rank` only in these axes, including itself, in the order of their coordinates: with
    // several axes, the innermost varies fastest, however they are listed.
    Group along(int rank, std::string_view axis) const;
    Group along(int rank, std::initializer_list<std::string_view> axes) const {
        return along(rank, std::span(axes.begin(), axes.size()));
    }
    Group along(int rank, std::span<const std::string_view> axes) const;

    // Unless there are size() ranks, throws a ProgramError that says which size of one axis would fit:
    //   dp 3 x tp 2 = 6 ranks, but there are 8; dp 4 would fit
    void check_world(int ranks) const;

private:
    std::size_t number_of(std::string_view axis) const;
    void check_rank(int rank) const;
    int coordinate(int rank, std::size_t axis) const { return rank / strides_[axis] % axes_[axis].size; }
    std::string product() const;

    std::vector<Axis> axes_;
    std::vector<int> strides_;  // by axis: distance in ranks from one coordinate to the next
    int size_ = 1;
};

}  // namespace sim::parallel
