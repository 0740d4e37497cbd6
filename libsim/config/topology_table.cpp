#include "libsim/config/topology_table.hpp"

#include "libsim/config/profile_kinds.hpp"
#include "libsim/config/toml_reader.hpp"
#include "libsim/error.hpp"
#include "libsim/network/topologies/topologies.hpp"

#include <algorithm>
#include <cmath>

namespace sim::config {

namespace {

constexpr int default_value = 16;  // GPUs

// The keys of one topology table in a TOML file.
class TomlTopologyKeys final : public TopologyKeys {
public:
    // `table`: "topology.", "topology.link[2]." … or nothing.
    TomlTopologyKeys(const TomlReader& file, std::string table) : file_(file), table_(std::move(table)) {}

    const TomlReader& file() const { return file_; }
    std::string key(const std::string& name) const { return table_ + name; }
    const TomlEntry& require(const std::string& name) const { return file_.require(key(name)); }

    bool has(const std::string& name) const override { return file_.find(key(name)) != nullptr; }
    int whole(const std::string& name, int low, int high) const override {
        return file_.whole(require(name), low, high);
    }
    std::vector<int> wholes(const std::string& name, int high) const override;
    std::size_t choice(const std::string& name, const std::vector<std::string>& names) const override {
        return file_.choice(require(name), names);
    }
    std::string text(const std::string& name, const char* wanted) const override {
        return file_.text(require(name), wanted);
    }
    bool flag(const std::string& name) const override { return file_.flag(require(name)); }
    Wire wire(const std::string& prefix = "") const override;
    void for_each_table(const std::string& name,
                        const std::function<void(const TopologyKeys& table)>& visit) const override {
        const int count = file_.count(key(name));
        for (int i = 1; i <= count; ++i) {
            visit(TomlTopologyKeys(file_, fmt::format("{}[{}].", key(name), i)));
        }
    }
    std::string where(const std::string& name) const override { return require(name).where; }

private:
    const TomlReader& file_;
    std::string table_;
};

void know_only(const TomlTopologyKeys& keys, KeyNames others, const KeyNames& own) {
    for (const KeyNames& names : {KeyNames{"kind", "name", "gpus"}, own}) {
        for (const std::string& name : names) {
            others.push_back(keys.key(name));
        }
    }
    keys.file().know_only(others);
}

// Reports a builder's error with the line of the key that chose what to build.
[[noreturn]] void refuse_topology(const TomlReader& file, const TomlEntry& entry, const std::string& what) {
    throw UsageError(what.starts_with(file.file() + ":") ? what : fmt::format("{}: {}", entry.where, what));
}

Topology build(const TomlTopologyKeys& keys, int gpus, const KeyNames& others) {
    if (keys.has("name")) {
        const TomlEntry& entry = keys.require("name");
        know_only(keys, others, {});
        if (keys.has("kind")) {
            refuse_topology(keys.file(), keys.require("kind"), "a topology has a name or a kind, not both");
        }
        try {
            return named_topology(keys.file().text(entry, "the name of a topology"), gpus);
        } catch (const ProgramError& error) {
            refuse_topology(keys.file(), entry, error.what());
        }
    }
    const TomlEntry& entry = keys.require("kind");
    const std::vector<TopologyRow> rows = kinds_of_topologies();
    const TopologyRow& kind = rows[keys.file().choice(entry, names_of(rows))];
    know_only(keys, others, kind.keys);
    try {
        return kind.by_keys(keys, gpus);
    } catch (const ProgramError& error) {
        refuse_topology(keys.file(), entry, error.what());
    }
}

}  // namespace

Topology topology_of(const TomlReader& file, const std::string& table, int gpus, std::vector<std::string> others) {
    const TomlTopologyKeys keys(file, table.empty() ? "" : table + ".");
    const int asked = keys.whole_or("gpus", gpus == 0 ? default_value : gpus, 1, 1 << 24);
    Topology topology = build(keys, asked, others);
    if (topology.gpus < gpus || (keys.has("gpus") && topology.gpus != asked)) {
        const TomlEntry& entry = keys.require(keys.has("gpus") ? "gpus" : keys.has("name") ? "name" : "kind");
        throw UsageError(fmt::format("{}: this topology has {} GPUs, not {}", entry.where, topology.gpus,
                                     topology.gpus < gpus ? gpus : asked));
    }
    return topology;
}

Topology read_topology(const std::string& name_or_file, int gpus) {
    if (!name_or_file.ends_with(".toml") && name_or_file.find('/') == std::string::npos) {
        try {
            return named_topology(name_or_file, gpus == 0 ? default_value : gpus);
        } catch (const ProgramError& error) {
            throw UsageError(error.what());
        }
    }
    const TomlReader file(name_or_file);
    const bool in_table = file.has_table("topology");
    KeyNames others;
    if (in_table) {  // a whole profile will do
        others = flops_or_units_keys();
    }
    Topology topology = topology_of(file, in_table ? "topology" : "", gpus, others);
    if (topology.name == "custom") {
        topology.name = name_or_file;
    }
    return topology;
}

std::vector<int> TomlTopologyKeys::wholes(const std::string& name, int high) const {
    const TomlEntry& entry = require(name);
    const auto* numbers = std::get_if<std::vector<double>>(&entry.value);
    const auto whole = [high](double x) { return x >= 1 && x <= high && std::floor(x) == x; };
    if (numbers == nullptr || numbers->empty() || !std::all_of(numbers->begin(), numbers->end(), whole)) {
        file_.refuse(entry, "a list of whole numbers, 1 or more");
    }
    std::vector<int> wholes;
    std::transform(numbers->begin(), numbers->end(), std::back_inserter(wholes),
                   [](double x) { return static_cast<int>(x); });
    return wholes;
}

Wire TomlTopologyKeys::wire(const std::string& prefix) const {
    Wire wire{Bandwidth{file_.per_second(require(prefix + "bytes_per_second"))}};
    if (has(prefix + "latency_seconds")) {
        wire.latency = file_.duration(require(prefix + "latency_seconds"));
    }
    return wire;
}

}  // namespace sim::config
