#include "tools/torch/prices/kind.hpp"

#include "libsim/check.hpp"
#include "tools/torch/prices/names/names.hpp"

#include <string>
#include <unordered_map>

namespace sim::torch::prices {

namespace {

using Kinds = std::unordered_map<std::string_view, Kind>;

void enter(Kinds& kinds, const Names& row) {
    constexpr std::string_view blanks = " \n";
    std::string_view rest = row.names;
    for (;;) {
        const std::size_t begin = rest.find_first_not_of(blanks);
        if (begin == std::string_view::npos) {
            return;
        }
        rest.remove_prefix(begin);
        const std::string_view name = rest.substr(0, rest.find_first_of(blanks));
        check(kinds.emplace(name, row.kind).second, "{} stands twice in the tables of kinds", name);
        rest.remove_prefix(name.size());
    }
}

const Kinds& kinds_by_name() {
    static const Kinds kinds = [] {
        Kinds made;
        for (const auto rows : {names_of_views(), names_of_products(), names_of_elementwise(), names_of_traffic(),
                                names_of_stand_ins(), names_of_guessed()}) {
            for (const Names& row : rows) {
                enter(made, row);
            }
        }
        return made;
    }();
    return kinds;
}

std::optional<Kind> kind_named(std::string_view name) {
    const auto found = kinds_by_name().find(name);
    return found == kinds_by_name().end() ? std::nullopt : std::optional(found->second);
}

// Namespaces whose operators are not the GPU's, such as the profiler's marks and collectives (priced elsewhere), or all
// have one kind.
std::optional<Kind> kind_of_namespace(std::string_view name) {
    for (const std::string_view of_host : {"profiler", "c10d", "_c10d_functional", "c10d_functional", "prim"}) {
        if (name == of_host) {
            return Kind::view;
        }
    }
    if (name == "prims") {
        return Kind::elementwise;
    }
    if (name == "fsdp") {
        return Kind::move;
    }
    return {};
}

constexpr std::string_view separator = "::";
constexpr std::string_view of_lists = "_foreach_";

}  // namespace

std::string_view plain_name(std::string_view schema_name) {
    const std::size_t at = schema_name.find(separator);
    std::string_view name = at == std::string_view::npos ? schema_name : schema_name.substr(at + separator.size());
    if (name.ends_with('_') && !name.ends_with("__")) {
        name.remove_suffix(1);
    }
    return name;
}

std::optional<Kind> known_kind(std::string_view schema_name) {
    const std::string_view name = plain_name(schema_name);
    if (const auto kind = kind_named(name)) {
        return kind;
    }
    if (name.starts_with(of_lists)) {
        const auto kind = kind_named(name.substr(of_lists.size()));
        if (kind && is_fused(*kind)) {
            return Kind::lists;
        }
    }
    const std::size_t at = schema_name.find(separator);
    return at == std::string_view::npos ? std::nullopt : kind_of_namespace(schema_name.substr(0, at));
}

bool is_fused(Kind kind) {
    return kind == Kind::elementwise || kind == Kind::reduction || kind == Kind::fill || kind == Kind::normalization ||
           kind == Kind::normalization_backward;
}

bool multiplies(Kind kind) {
    switch (kind) {
        case Kind::product:
        case Kind::products:
        case Kind::scaled_product:
        case Kind::grouped_product:
        case Kind::convolution:
        case Kind::convolution_backward:
        case Kind::attention:
        case Kind::attention_backward:
        case Kind::layer:
        case Kind::recurrence:
        case Kind::recurrence_backward: return true;
        default: return false;
    }
}

}  // namespace sim::torch::prices
