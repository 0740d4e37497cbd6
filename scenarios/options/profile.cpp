#include "scenarios/options/profile.hpp"

#include "libsim/nearest.hpp"
#include "scenarios/errors.hpp"
#include "scenarios/options/toml_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace sim::scenarios {

namespace {

// What a network costs within a node (or everywhere), and, if there are nodes, between them.
constexpr const char* everywhere = "network";
constexpr const char* across_nodes = "network.across_nodes";

std::vector<std::string> known_keys(const std::string& compute_rate, const std::string& network_rate) {
    std::vector<std::string> keys{"kind", compute_rate, "compute.slowdown", "compute.overlap_slowdown",
                                  "network.ranks_per_node"};
    for (const std::string network : {everywhere, across_nodes}) {
        keys.push_back(network + ".latency_seconds");
        keys.push_back(network + "." + network_rate);
        keys.push_back(network + ".acknowledgement_seconds");
    }
    return keys;
}

class ProfileFile {
public:
    explicit ProfileFile(std::string file) : file_(std::move(file)), entries_(read_toml(file_)) {}

    [[noreturn]] void refuse(const TomlEntry& entry, const std::string& wanted, const std::string& hint = "") const {
        throw UsageError(
            fmt::format("{}: {} must be {}, not {}{}", entry.where, entry.key, wanted, describe(entry.value), hint));
    }

    const TomlEntry* find(const std::string& key) const {
        const auto at =
            std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.key == key; });
        return at == entries_.end() ? nullptr : &*at;
    }

    bool has_table(const std::string& name) const {
        return std::any_of(entries_.begin(), entries_.end(),
                           [&](const TomlEntry& entry) { return entry.key.starts_with(name + "."); });
    }

    const TomlEntry& require(const std::string& key) const {
        const TomlEntry* entry = find(key);
        if (entry == nullptr) {
            throw UsageError(fmt::format("{}: {} is missing", file_, key));
        }
        return *entry;
    }

    void know_only(const std::vector<std::string>& known) const {
        for (const TomlEntry& entry : entries_) {
            const auto in_table = [&](const std::string& key) { return key.starts_with(entry.key + "."); };
            const auto* other = std::get_if<OtherValue>(&entry.value);
            if (other != nullptr && other->type == "a table" && std::any_of(known.begin(), known.end(), in_table)) {
                continue;  // a table without keys: what is missing in it is said by require()
            }
            if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
                throw UsageError(
                    fmt::format("{}: unknown key {}{}", entry.where, entry.key, did_you_mean(entry.key, known)));
            }
        }
    }

    double number(const TomlEntry& entry, double low, const char* wanted) const {
        double x = std::nan("");
        if (const auto* i = std::get_if<std::int64_t>(&entry.value)) {
            x = static_cast<double>(*i);
        } else if (const auto* d = std::get_if<double>(&entry.value)) {
            x = *d;
        }
        if (!std::isfinite(x) || x < low) {
            refuse(entry, wanted);
        }
        return x;
    }

    // What `make` throws because a number leaves the simulator's range is the file's mistake.
    template <class Make>
    auto in_range(const TomlEntry& entry, Make make) const {
        try {
            return make();
        } catch (const std::out_of_range& error) {
            throw UsageError(
                fmt::format("{}: {} = {}: {}", entry.where, entry.key, describe(entry.value), error.what()));
        }
    }

    Duration duration(const TomlEntry& entry) const {
        const double s = number(entry, 0, "a number of seconds, 0 or more");
        return in_range(entry, [&] { return duration_of_seconds(s); });
    }
    Pace pace(const TomlEntry& entry) const {
        const double s = number(entry, 0, "a number of seconds, 0 or more");
        return in_range(entry, [&] { return pace_of_unit(s); });
    }
    std::int64_t per_second(const TomlEntry& entry) const {
        const double rate = number(entry, 1, "a number, 1 or more");
        if (rate > 9e18) {
            refuse(entry, "a number up to 9e18");
        }
        return std::llround(rate);
    }

    std::vector<double> slowdown(Pace fastest) const {
        const TomlEntry* entry = find("compute.slowdown");
        if (entry == nullptr) {
            return {};
        }
        const auto* factors = std::get_if<std::vector<double>>(&entry->value);
        if (factors == nullptr) {
            refuse(*entry, "a list of numbers, one for each rank");
        }
        for (const double factor : *factors) {
            if (!std::isfinite(factor) || factor <= 0) {
                throw UsageError(
                    fmt::format("{}: {} must hold numbers above 0, not {}", entry->where, entry->key, factor));
            }
            in_range(*entry, [&] { return slowed(fastest, factor); });
        }
        return *factors;
    }

private:
    std::string file_;
    std::vector<TomlEntry> entries_;
};

double overlap_slowdown(const ProfileFile& file) {
    const TomlEntry* entry = file.find("compute.overlap_slowdown");
    return entry == nullptr ? 1 : file.number(*entry, 1, "a number, 1 or more");
}

// `read` reads one network under its name. Without nodes there is one.
template <class Read>
Network network_of(const ProfileFile& file, Read read) {
    const TomlEntry* const per_node = file.find("network.ranks_per_node");
    const bool has_other = file.has_table(across_nodes);
    if (per_node == nullptr && !has_other) {
        return read(everywhere);
    }
    const TomlEntry& entry = file.require("network.ranks_per_node");
    const auto* ranks = std::get_if<std::int64_t>(&entry.value);
    if (ranks == nullptr || *ranks < 1 || *ranks > 1'000'000) {
        file.refuse(entry, "a whole number from 1 to 1000000");
    }
    return Nodes{.ranks_per_node = static_cast<int>(*ranks), .within = read(everywhere), .across = read(across_nodes)};
}

Cluster units_cluster(const ProfileFile& file) {
    file.know_only(known_keys("compute.seconds_per_unit", "seconds_per_data_unit"));
    Cluster cluster;
    cluster.compute.per_billionth_unit = file.pace(file.require("compute.seconds_per_unit"));
    cluster.compute.slowdown = file.slowdown(*cluster.compute.per_billionth_unit);
    cluster.compute.overlap_slowdown = overlap_slowdown(file);
    cluster.network = network_of(file, [&](const std::string& name) {
        Uniform network;
        network.latency = file.duration(file.require(name + ".latency_seconds"));
        network.per_billionth_unit = file.pace(file.require(name + ".seconds_per_data_unit"));
        const TomlEntry* acknowledgement = file.find(name + ".acknowledgement_seconds");
        network.acknowledgement = acknowledgement != nullptr ? file.duration(*acknowledgement) : network.latency;
        return network;
    });
    return cluster;
}

Cluster uniform_cluster(const ProfileFile& file) {
    file.know_only(known_keys("compute.flops_per_second", "bytes_per_second"));
    const FlopRate flops{file.per_second(file.require("compute.flops_per_second"))};
    Cluster cluster = uniform({.flops = flops});
    cluster.compute.slowdown = file.slowdown(pace_of(flops));
    cluster.compute.overlap_slowdown = overlap_slowdown(file);
    cluster.network = network_of(file, [&](const std::string& name) {
        UniformOptions options{.latency = file.duration(file.require(name + ".latency_seconds")),
                               .bandwidth = Bandwidth{file.per_second(file.require(name + ".bytes_per_second"))}};
        if (const TomlEntry* acknowledgement = file.find(name + ".acknowledgement_seconds")) {
            options.acknowledgement = file.duration(*acknowledgement);
        }
        return std::get<Uniform>(uniform(options).network);
    });
    return cluster;
}

Cluster cluster_of_file(const std::string& name) {
    const ProfileFile file(name);
    const TomlEntry& kind = file.require("kind");
    const auto* text = std::get_if<std::string>(&kind.value);
    if (text != nullptr && *text == "units") {
        return units_cluster(file);
    }
    if (text != nullptr && *text == "uniform") {
        return uniform_cluster(file);
    }
    file.refuse(kind, "\"units\" or \"uniform\"", text != nullptr ? did_you_mean(*text, {"units", "uniform"}) : "");
}

struct NamedCluster {
    std::string name;
    Cluster cluster;
};

// The three links that the lab compares. Its one measured time, about 1 ms for an all-reduce of 1 MB over PCIe on two
// GPUs, is 2 x (latency + 0.5 MB / 15 GB/s): 467 us of latency, most of it the lab's software. So it is the same here
// for all three, and what differs is the link.
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

Cluster read_profile(const std::string& name_or_file) {
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
    Cluster cluster = cluster_of_file(name_or_file);
    cluster.name = name_or_file;
    return cluster;
}

std::vector<std::string> profile_names() {
    std::vector<std::string> names;
    for (const NamedCluster& profile : built_in_profiles()) {
        names.push_back(profile.name);
    }
    return names;
}

}  // namespace sim::scenarios
