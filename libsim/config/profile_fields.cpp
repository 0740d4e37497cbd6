// Profile kinds whose [network] holds the fields of a network model: "loggp", and any other model with ReadByFields.
#include "libsim/config/profile_kinds.hpp"
#include "libsim/network/loggp.hpp"

namespace sim::config {

namespace {

struct Set {
    const TomlReader& file;
    const TomlEntry& entry;

    void operator()(Duration* to) const { *to = file.duration(entry); }
    void operator()(Pace* to) const {
        const double s = file.number(entry, 0, "a number of seconds, 0 or more");
        // A unit is divided into a billion parts, as a byte is.
        *to = file.in_range(entry, [&] { return pace_of_unit(s * static_cast<double>(Units::per_unit)); });
    }
    void operator()(Bytes* to) const {
        const auto* bytes = std::get_if<std::int64_t>(&entry.value);
        if (bytes == nullptr || *bytes < 0) {
            file.refuse(entry, "a whole number of bytes, 0 or more");
        }
        *to = Bytes{*bytes};
    }
};

template <ReadByFields Model>
Cluster fields_profile(const TomlReader& file, int /*ranks*/) {
    Model model;
    const std::vector<NetworkField> fields = model.fields();
    const auto key_of = [](const NetworkField& field) { return fmt::format("network.{}", field.key); };
    std::vector<std::string> known = flops_or_units_keys();
    for (const NetworkField& field : fields) {
        known.push_back(key_of(field));
    }
    file.know_only(known);
    Cluster cluster;
    cluster.compute = read_flops_or_units(file);
    for (const NetworkField& field : fields) {
        const TomlEntry* const entry = field.required ? &file.require(key_of(field)) : file.find(key_of(field));
        if (entry != nullptr) {
            std::visit(Set{file, *entry}, field.to);
        }
    }
    cluster.network = model;
    cluster.bytes_per_unit = read_bytes_per_unit(file);
    return cluster;
}

template <ReadByFields Model>
ProfileKind kind_of() {
    return {Model::profile_kind, fields_profile<Model>};
}

}  // namespace

// One kind per model.
std::vector<ProfileKind> kinds_read_by_fields() {
    return {
        kind_of<LogGP>(),
    };
}

}  // namespace sim::config
