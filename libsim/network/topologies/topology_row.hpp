// A topology row holds everything that ndsim knows about a kind of topology: it is a row of the table in named.cpp,
// defined in the topology's own file.
//
// Names, file keys, their errors and the lists of both follow from it. Drawings and numbers follow from the topology
// that it builds.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topologies/wire.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::network {

// The keys of a topology, or of one of its tables, as read from a file. All throw, with file, line and key, if a value
// is missing or invalid.
class TopologyKeys {
public:
    TopologyKeys() = default;
    TopologyKeys(const TopologyKeys&) = delete;
    TopologyKeys& operator=(const TopologyKeys&) = delete;
    virtual ~TopologyKeys() = default;

    virtual bool has(const std::string& name) const = 0;
    // Required.
    virtual int whole(const std::string& name, int low, int high) const = 0;
    virtual std::vector<int> wholes(const std::string& name, int high) const = 0;  // each 1 or more
    virtual std::size_t choice(const std::string& name, const std::vector<std::string>& names) const = 0;
    virtual std::string text(const std::string& name, const char* wanted) const = 0;
    virtual bool flag(const std::string& name) const = 0;
    // PREFIXbytes_per_second, required, and PREFIXlatency_seconds, which defaults to 0.
    virtual Wire wire(const std::string& prefix = "") const = 0;
    // Calls visit(keys) for each table of the list [[name]].
    virtual void for_each_table(const std::string& name,
                                const std::function<void(const TopologyKeys& table)>& visit) const = 0;
    // The position of a key: "cluster.toml:7".
    virtual std::string where(const std::string& name) const = 0;

    int whole_or(const std::string& name, int otherwise, int low, int high) const {
        return has(name) ? whole(name, low, high) : otherwise;
    }
    // Empty if both keys are absent.
    std::optional<Wire> optional_wire(const std::string& prefix) const {
        return has(prefix + "bytes_per_second") || has(prefix + "latency_seconds") ? std::optional(wire(prefix))
                                                                                   : std::nullopt;
    }
};

using KeyNames = std::vector<std::string>;

struct TopologyRow {
    std::string name;
    std::string what;                                // a short description, for the list of names
    std::function<Topology(int gpus)> by_size = {};  // builds the topology with this name; empty: there is none
    KeyNames keys = {};                              // keys of a file with `kind = NAME`; "link[].from": keys of tables
    std::function<Topology(const TopologyKeys&, int gpus)> by_keys = {};  // empty: files cannot name this kind
};

inline KeyNames operator+(KeyNames a, const KeyNames& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
// The keys that TopologyKeys::wire() reads.
inline KeyNames wire_keys(const std::string& prefix = "") {
    return {prefix + "bytes_per_second", prefix + "latency_seconds"};
}

inline constexpr int most_of_a_part = 1'000'000;

// The cables of topologies given only by name: 400 Gb/s, 500 ns each way.
inline constexpr Wire plain_wire{50 * GB_per_s, std::chrono::nanoseconds(500)};

// Throws ProgramError with the nearest numbers of GPUs that do fit.
[[noreturn]] void refuse_size(int gpus, const char* what, const std::function<bool(int)>& fits);

}  // namespace sim::network
