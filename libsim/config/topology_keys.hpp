// The keys of one table of a topology, each with what it is where it is left out.
#pragma once

#include "libsim/config/toml_reader.hpp"
#include "libsim/network/topologies/wire.hpp"

namespace sim::scenarios {

class TopologyKeys {
public:
    // `table`: "topology.", "topology.link[2]." … or nothing.
    TopologyKeys(const TomlReader& file, std::string table) : file_(file), table_(std::move(table)) {}

    const TomlReader& file() const { return file_; }
    std::string key(const std::string& name) const { return table_ + name; }
    bool has(const std::string& name) const { return file_.find(key(name)) != nullptr; }
    const TomlEntry& require(const std::string& name) const { return file_.require(key(name)); }

    int whole(const std::string& name, int otherwise, int low, int high) const {
        return has(name) ? file_.whole(require(name), low, high) : otherwise;
    }
    // PREFIXbytes_per_second and PREFIXlatency_seconds, which is 0 where it is left out.
    Wire wire(const std::string& prefix = "") const {
        Wire wire{Bandwidth{file_.per_second(require(prefix + "bytes_per_second"))}};
        if (has(prefix + "latency_seconds")) {
            wire.latency = file_.duration(require(prefix + "latency_seconds"));
        }
        return wire;
    }
    // Nothing where the bandwidth is left out.
    std::optional<Wire> optional_wire(const std::string& prefix) const {
        return has(prefix + "bytes_per_second") || has(prefix + "latency_seconds") ? std::optional(wire(prefix))
                                                                                   : std::nullopt;
    }
    // One for each [[name]].
    std::vector<TopologyKeys> tables(const std::string& name) const {
        std::vector<TopologyKeys> tables;
        for (int i = 1; i <= file_.count(key(name)); ++i) {
            tables.emplace_back(file_, fmt::format("{}[{}].", key(name), i));
        }
        return tables;
    }

private:
    const TomlReader& file_;
    std::string table_;
};

}  // namespace sim::scenarios
