#include "scenarios/run/checks.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/faults/conditions.hpp"
#include "scenarios/lesson/trainer/plan.hpp"
#include "scenarios/lesson/transformer/alone.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <set>

namespace sim::scenarios {

using namespace config;
using namespace lesson;

namespace {

Options with_replicas(const Options& options, int replicas) {
    Options fewer = options;
    fewer.mesh.dp = replicas;
    fewer.ranks = static_cast<int>(fewer.mesh.ranks());
    return fewer;
}

int replicas_of(const Options& options, std::size_t ranks) {
    return static_cast<int>(static_cast<std::size_t>(options.mesh.dp) * ranks /
                            static_cast<std::size_t>(options.ranks));
}

// Per rank: weights (the stage's and the pack's), gradients (two and their sum), and its reports; measured.
constexpr double arrays = 6;
constexpr double gigabyte = 1e9;

double bytes_of_rank(const Options& options) {
    const double weights = static_cast<double>(weight_count(options.shape));
    return arrays * sizeof(double) * weights / (options.mesh.tp * options.mesh.pp);
}

double bytes_of_machine() {
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Options options_of_life(const Options& options, const std::vector<int>& places) {
    Options life = with_replicas(options, replicas_of(options, places.size()));
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        const auto place = static_cast<std::size_t>(places[rank]);
        if (place < options.slowdown.size() && rank < life.slowdown.size()) {
            life.slowdown[rank] = options.slowdown[place];
        }
    }
    return life;
}

std::vector<int> living_replicas(const Options& options, int ranks, const std::vector<int>& dead) {
    const Mesh mesh = mesh_of(with_replicas(options, replicas_of(options, static_cast<std::size_t>(ranks))));
    std::set<int> broken;
    for (const int rank : dead) {
        broken.insert(mesh.coordinate(rank, "dp"));
    }
    std::vector<int> living;
    for (int rank = 0; rank < ranks; ++rank) {
        if (!broken.contains(mesh.coordinate(rank, "dp"))) {
            living.push_back(rank);
        }
    }
    return living;
}

void check_elastic(const Options& options, const Cluster& cluster) {
    if (!ranks::row_of(options.recovery.on_fault).shrinks) {
        return;
    }
    const faults::Conditions conditions(options.faults, options.ranks, cluster.network);
    const Mesh mesh = mesh_of(options);
    std::set<int> broken;
    for (int rank = 0; rank < options.ranks; ++rank) {
        if (conditions.dies_at(rank) != Time::max()) {
            broken.insert(mesh.coordinate(rank, "dp"));
        }
    }
    for (const faults::Injection& fault : options.faults) {
        if (const auto* const drop = std::get_if<faults::DropNic>(&fault);
            drop != nullptr && drop->nic < options.ranks) {
            broken.insert(mesh.coordinate(drop->nic, "dp"));
        }
    }
    for (int replicas = options.mesh.dp - 1; replicas >= std::max(options.mesh.dp - static_cast<int>(broken.size()), 1);
         --replicas) {
        try {
            check_plan(with_replicas(options, replicas));
        } catch (const UsageError& error) {
            throw UsageError(
                fmt::format("--on-fault elastic: the faults leave dp {}, and then {}", replicas, error.what()));
        }
    }
}

void check_memory(const Options& options) {
    const double needed = bytes_of_rank(options) * options.ranks;
    const double there = bytes_of_machine();
    if (needed > there) {
        throw MachineLimit(fmt::format(
            "{} ranks that really train need about {:.0f} GB, and this machine has {:.0f} GB; {} ranks would fit, more "
            "with a smaller --hidden",
            options.ranks, needed / gigabyte, there / gigabyte, static_cast<int>(there / bytes_of_rank(options))));
    }
}

}  // namespace sim::scenarios
