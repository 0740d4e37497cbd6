// This class reads the keys of one topology table in a TOML file.
#pragma once

#include "libsim/config/toml_reader.hpp"
#include "libsim/network/topologies/topology_row.hpp"

namespace sim::config {

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

}  // namespace sim::config
