#include "tests/strategies/layouts.hpp"

#include "libsim/parallel/pipeline/schedules.hpp"

#include "tests/support/random.hpp"

#include <fmt/format.h>

#include <initializer_list>

namespace sim::test {

namespace {

constexpr int most_ranks = 16;

// The smallest multiple of `unit` not below `wanted`.
int at_least(int wanted, int unit) {
    return (wanted + unit - 1) / unit * unit;
}

const char* one_of(Random& random, std::initializer_list<const char*> names) {
    return names.begin()[random.below(static_cast<int>(names.size()))];
}

std::string model(const MeshSizes& mesh, Random& random, bool sequence_parallel) {
    const int heads = at_least(2, mesh.tp);
    const int sequence = at_least(4, mesh.cp * (sequence_parallel ? mesh.tp : 1));
    const int experts = mesh.ep > 1 ? mesh.ep * (1 + random.below(2)) : 2 * random.below(2);
    const std::string mixture = fmt::format("--experts {} --top-k {}", experts, 1 + random.below(2));
    return fmt::format("--hidden {} --heads {} --sequence {} {} --loss {} --optimizer {}", 4 * heads, heads, sequence,
                       experts > 0 ? mixture : "--experts 0", one_of(random, {"mean-squared", "cross-entropy"}),
                       one_of(random, {"sgd", "adam"}));
}

std::string pipeline(const MeshSizes& mesh, Random& random) {
    const auto known = pipeline_schedules();
    const NamedPipelineSchedule& drawn = known[static_cast<std::size_t>(random.below(static_cast<int>(known.size())))];
    const NamedPipelineSchedule& named =
        drawn.both_ways && mesh.pp % 2 != 0 ? usual_pipeline_schedule() : drawn;  // these need an even pp
    const std::string_view schedule = named.name;
    const int chunks = mesh.pp > 1 && named.uses_chunks ? 2 : 1;
    const int micro_batches =
        mesh.pp > 1 ? mesh.pp * (1 + random.below(2)) * (named.both_ways ? 2 : 1) : 1 + random.below(3);
    return fmt::format("--schedule {} --layers {} --micro-batches {} --items {}", schedule,
                       at_least(2, mesh.pp * chunks), micro_batches, at_least(6, mesh.dp * mesh.ep * micro_batches));
}

std::string replicas(Random& random) {
    const int zero = random.below(4);
    const std::string line =
        fmt::format("--zero {} --buckets {}{}", zero, 1 + random.below(3), random.below(2) == 0 ? " --overlap" : "");
    return zero > 0 ? line
                    : fmt::format("{} --synchronize {}", line, one_of(random, {"ring", "direct", "parameter-server"}));
}

}  // namespace

std::vector<MeshSizes> all_meshes() {
    std::vector<MeshSizes> meshes;
    for (int ranks = 1; ranks <= most_ranks; ++ranks) {
        for (int dp = 1; dp <= ranks; ++dp) {
            for (int tp = 1; dp * tp <= ranks; ++tp) {
                for (int pp = 1; dp * tp * pp <= ranks; ++pp) {
                    for (int ep = 1; dp * tp * pp * ep <= ranks; ++ep) {
                        if (ranks % (dp * tp * pp * ep) == 0) {
                            meshes.push_back({dp, tp, pp, ep, ranks / (dp * tp * pp * ep)});
                        }
                    }
                }
            }
        }
    }
    return meshes;
}

std::string layout_line(const MeshSizes& mesh, std::uint64_t seed) {
    Random random(seed);
    const bool sequence_parallel = mesh.tp > 1 && random.below(2) == 0;
    const std::string axes =
        fmt::format("--dp {} --tp {} --pp {} --ep {} --cp {}", mesh.dp, mesh.tp, mesh.pp, mesh.ep, mesh.cp);
    const std::string by_stage = pipeline(mesh, random);
    const std::string by_replica = replicas(random);
    return fmt::format("4d_hybrid {} --steps 3 {} {} {}{}", axes, by_stage, by_replica,
                       model(mesh, random, sequence_parallel), sequence_parallel ? " --sequence-parallel" : "");
}

std::vector<std::string> data_parallel_lines() {
    constexpr const char* small = "1d_data_parallel --steps 3 --hidden 8 --heads 2 --sequence 4 --layers 3";
    std::vector<std::string> lines;
    int variant = 0;
    const auto add = [&](const std::string& options) {
        const int ranks = 2 + variant % 4;
        const std::string of_ranks =
            options.find("--ranks") == std::string::npos ? fmt::format(" --ranks {}", ranks) : "";
        lines.push_back(fmt::format("{}{} --items {} --optimizer {} {}", small, of_ranks, ranks + variant % 6,
                                    variant % 2 == 0 ? "adam" : "sgd", options));
        ++variant;
    };
    for (const char* const buckets : {"--buckets 1", "--buckets 2", "--buckets 3 --overlap", "--overlap"}) {
        for (const char* const synchronize : {"ring", "direct", "parameter-server"}) {
            add(fmt::format("{} --synchronize {}", buckets, synchronize));
        }
        for (int zero = 1; zero <= 3; ++zero) {
            add(fmt::format("{} --zero {}", buckets, zero));
        }
    }
    for (const char* const others :
         {"--accumulate 1", "--accumulate 2 --buckets 2", "--weighted --accumulate 1 --ranks 5", "--weighted",
          "--weighted --buckets 3", "--weighted --accumulate 2 --synchronize direct", "--experts 3",
          "--experts 4 --top-k 3 --zero 3 --overlap", "--experts 2 --overlap --buckets 3"}) {
        add(others);
    }
    return lines;
}

}  // namespace sim::test
