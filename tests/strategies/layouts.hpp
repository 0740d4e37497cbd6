// Every mesh of up to 16 ranks, each with a few of the many ways to train on it.
//
// A layout is a command line, so that a failure can be reproduced by typing it. Models are as small as the mesh allows.
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

// The 341 ordered factorizations into five factors of the numbers up to 16.
std::vector<MeshSizes> all_meshes();

// One way to train on `mesh`: draws schedule, micro-batches, ZeRO, overlap, buckets, algorithm, sequence parallelism,
// experts, loss and optimizer from `seed`.
std::string layout_line(const MeshSizes& mesh, std::uint64_t seed);

// The options of data parallelism in all valid combinations, on 2 to 5 replicas.
std::vector<std::string> data_parallel_lines();

}  // namespace sim::test
