// Every mesh of up to 16 ranks, each with a few of the many ways to train on it.
//
// A layout is a command line: what fails can be typed again. Models are as small as the mesh allows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim::test {

struct MeshSizes {
    int dp = 1;
    int tp = 1;
    int pp = 1;
    int ep = 1;
    int cp = 1;

    int ranks() const { return dp * tp * pp * ep * cp; }
};

// The 341 ways to write a number up to 16 as a product of five.
std::vector<MeshSizes> all_meshes();

// One way to train on `mesh`: schedule, micro-batches, ZeRO, overlap, buckets, algorithm, sequence parallelism,
// experts, loss and optimizer drawn from `seed`.
std::string layout_line(const MeshSizes& mesh, std::uint64_t seed);

// The options of data parallelism, all of them with all others that they can be with, on 2 to 5 replicas.
std::vector<std::string> data_parallel_lines();

}  // namespace sim::test
