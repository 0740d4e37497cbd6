// The table [compute], which all kinds of profiles share.
#include "libsim/config/profile_kinds.hpp"

#include <cmath>

namespace sim::config {

namespace {

std::vector<double> slowdown(const TomlReader& file, Pace fastest) {
    const TomlEntry* entry = file.find("compute.slowdown");
    if (entry == nullptr) {
        return {};
    }
    const auto* factors = std::get_if<std::vector<double>>(&entry->value);
    if (factors == nullptr) {
        file.refuse(*entry, "a list of numbers, one for each rank");
    }
    for (const double factor : *factors) {
        if (!std::isfinite(factor) || factor <= 0) {
            throw UsageError(fmt::format("{}: {} must hold numbers above 0, not {}", entry->where, entry->key, factor));
        }
        file.in_range(*entry, [&] { return slowed(fastest, factor); });
    }
    return *factors;
}

}  // namespace

std::vector<std::string> compute_keys(const std::string& rate) {
    return {"kind", "compute." + rate, "compute.slowdown", "compute.overlap_slowdown"};
}

void read_slowdowns(const TomlReader& file, Compute& compute) {
    compute.slowdown = slowdown(file, compute.per_flop ? *compute.per_flop : *compute.per_billionth_unit);
    if (const TomlEntry* entry = file.find("compute.overlap_slowdown")) {
        compute.overlap_slowdown = file.number(*entry, 1, "a number, 1 or more");
    }
}

Compute read_flops(const TomlReader& file) {
    Compute compute;
    compute.per_flop = pace_of(FlopRate{file.per_second(file.require("compute.flops_per_second"))});
    read_slowdowns(file, compute);
    return compute;
}

std::vector<std::string> flops_or_units_keys() {
    std::vector<std::string> keys = compute_keys("flops_per_second");
    keys.emplace_back("compute.seconds_per_unit");
    keys.emplace_back("network.bytes_per_unit");
    return keys;
}

Compute read_flops_or_units(const TomlReader& file) {
    const TomlEntry* const units = file.find("compute.seconds_per_unit");
    if (units == nullptr) {
        return read_flops(file);
    }
    Compute compute;
    compute.per_billionth_unit = file.pace(*units);
    if (const TomlEntry* const flops = file.find("compute.flops_per_second")) {
        compute.per_flop = pace_of(FlopRate{file.per_second(*flops)});
    }
    read_slowdowns(file, compute);
    return compute;
}

std::int64_t read_bytes_per_unit(const TomlReader& file) {
    const TomlEntry* const entry = file.find("network.bytes_per_unit");
    return entry == nullptr ? 0 : file.per_second(*entry);
}

}  // namespace sim::config
