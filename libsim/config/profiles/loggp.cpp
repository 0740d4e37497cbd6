// Kind "loggp".
#include "libsim/config/profiles/kinds.hpp"

namespace sim::scenarios {

namespace {

Duration duration_or_none(const TomlReader& file, const char* key) {
    const TomlEntry* entry = file.find(key);
    return entry == nullptr ? Duration{0} : file.duration(*entry);
}

Pace pace_per_byte(const TomlReader& file, const char* key) {
    const TomlEntry* entry = file.find(key);
    if (entry == nullptr) {
        return {0, 1};
    }
    const double s = file.number(*entry, 0, "a number of seconds, 0 or more");
    // A unit has a billion parts as a byte has one.
    return file.in_range(*entry, [&] { return pace_of_unit(s * static_cast<double>(Units::per_unit)); });
}

Bytes eager_limit(const TomlReader& file) {
    const TomlEntry* entry = file.find("network.eager_limit_bytes");
    if (entry == nullptr) {
        return LogGP{}.eager_limit;
    }
    const auto* bytes = std::get_if<std::int64_t>(&entry->value);
    if (bytes == nullptr || *bytes < 0) {
        file.refuse(*entry, "a whole number of bytes, 0 or more");
    }
    return Bytes{*bytes};
}

}  // namespace

Cluster loggp_profile(const TomlReader& file) {
    std::vector<std::string> known = flops_or_units_keys();
    for (const char* const key : {"latency_seconds", "overhead_seconds", "gap_seconds", "gap_per_byte_seconds",
                                  "overhead_per_byte_seconds", "eager_limit_bytes"}) {
        known.push_back(fmt::format("network.{}", key));
    }
    file.know_only(known);
    Cluster cluster;
    cluster.compute = read_flops_or_units(file);
    cluster.network = LogGP{.latency = file.duration(file.require("network.latency_seconds")),
                            .overhead = duration_or_none(file, "network.overhead_seconds"),
                            .gap = duration_or_none(file, "network.gap_seconds"),
                            .gap_per_byte = pace_per_byte(file, "network.gap_per_byte_seconds"),
                            .overhead_per_byte = pace_per_byte(file, "network.overhead_per_byte_seconds"),
                            .eager_limit = eager_limit(file)};
    cluster.bytes_per_unit = read_bytes_per_unit(file);
    return cluster;
}

}  // namespace sim::scenarios
