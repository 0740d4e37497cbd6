// This search finds the known name that takes the fewest edits, for "Did you mean …?".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sim {

// The number of characters to insert, delete, replace, or swap with their neighbour. Quadratic in the lengths.
int edit_distance(std::string_view a, std::string_view b);

// The first of the nearest `known` names; empty if none is near: within a third of the name's length, or two edits.
std::string nearest(std::string_view name, const std::vector<std::string>& known);

// "; did you mean PREFIXname?", or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known, std::string_view prefix = "");

}  // namespace sim
