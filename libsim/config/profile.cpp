#include "libsim/config/profile.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/profile_kinds.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>

namespace sim::config {

namespace {

Cluster cluster_of(const TomlReader& file, int ranks) {
    std::vector<ProfileKind> kinds{{"units", units_profile}, {"uniform", uniform_profile}};
    for (const ProfileKind& kind : kinds_read_by_fields()) {
        kinds.push_back(kind);
    }
    kinds.push_back({"cluster", cluster_profile});
    std::vector<std::string> names;
    for (const ProfileKind& kind : kinds) {
        names.emplace_back(kind.name);
    }
    Cluster cluster = kinds[file.choice(file.require("kind"), names)].read(file, ranks);
    cluster.name = file.file();
    return cluster;
}

struct NamedCluster {
    std::string name;
    Cluster cluster;
};

// The three links that the lab compares. Its only measured time, about 1 ms for an all-reduce of 1 MB over PCIe on two
// GPUs, is 2 x (latency + 0.5 MB / 15 GB/s). That gives 467 us of latency, most of it the lab's software, so all three
// links share it and differ only in bandwidth.
Cluster lab_link(const char* name, Bandwidth bandwidth) {
    using namespace std::chrono_literals;
    Cluster cluster = uniform({.latency = 467us, .bandwidth = bandwidth});
    cluster.name = name;
    return cluster;
}

std::vector<NamedCluster> built_in_profiles() {
    return {{"gpu-py", gpu_py()},
            {"lab-pcie", lab_link("lab-pcie", 15 * GB_per_s)},
            {"lab-nvlink", lab_link("lab-nvlink", 300 * GB_per_s)},
            {"lab-10gbe", lab_link("lab-10gbe", GB_per_s)}};
}

}  // namespace

Cluster read_profile(const std::string& name_or_file, int ranks) {
    for (const NamedCluster& profile : built_in_profiles()) {
        if (profile.name == name_or_file) {
            return profile.cluster;
        }
    }
    if (!name_or_file.ends_with(".toml") && name_or_file.find('/') == std::string::npos) {
        const std::vector<std::string> names = profile_names();
        throw UsageError(fmt::format("--profile must be {} or a FILE.toml, not \"{}\"{}", fmt::join(names, ", "),
                                     name_or_file, did_you_mean(name_or_file, names)));
    }
    return cluster_of(TomlReader(name_or_file), ranks);
}

Cluster read_profile(const std::string& name, std::vector<TomlEntry> entries, int ranks) {
    return cluster_of(TomlReader(name, std::move(entries)), ranks);
}

std::vector<std::string> profile_names() {
    std::vector<std::string> names;
    for (const NamedCluster& profile : built_in_profiles()) {
        names.push_back(profile.name);
    }
    return names;
}

}  // namespace sim::config
