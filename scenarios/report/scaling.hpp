// A scaling report compares the same training on 1, 2, 4 … ranks: a table, and a curve of the speedup against the
// ideal.
#pragma once

#include "libsim/report/schema_text.hpp"
#include "scenarios/report/outcome.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sim::scenarios {

struct ScalingSize {
    std::int64_t size = 1;           // along the scenario's first axis
    std::optional<Outcome> outcome;  // none if this size is impossible
    std::string why_not;
};

struct Scaling {
    std::string scenario;
    std::string axis;  // the scenario's first
    std::string profile;
    std::vector<ScalingSize> sizes;
};

std::string show_scaling(const Scaling& scaling);

// The speedup over the ranks beside the ideal one, as an SVG picture. Requires: some size is possible.
std::string svg_scaling(const Scaling& scaling);

// One JSON object; "scaling" holds an object per size: that of --json for this run, plus `axis_size`,
// `items_per_second` and `lost_to`; or `axis_size`, "possible": false and `why`.
std::string json_scaling(const Scaling& scaling);
report::SchemaText scaling_schema();

}  // namespace sim::scenarios
