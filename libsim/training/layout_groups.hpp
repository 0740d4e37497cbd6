// Groups of switches: the headings under which --help, manual pages and the page of switches list them.
#pragma once

#include "libsim/training/layout_fields.hpp"

#include <initializer_list>
#include <vector>

namespace sim::training::layout_group {

inline constexpr const char* axes = "Parallelism and batch";
inline constexpr const char* pipeline = "Pipeline";
inline constexpr const char* memory = "Saving memory";
inline constexpr const char* arithmetic = "Precision and optimizer";
inline constexpr const char* kernels = "Framework and kernels";
inline constexpr const char* communication = "Communication and overlap";
inline constexpr const char* data = "Documents and experts";

// A function that adds rows, and the group of those that have none of their own.
struct Part {
    void (*add)(std::vector<LayoutField>& fields);
    const char* group;
};
// The rows of all parts, in their order.
std::vector<LayoutField> rows_of(std::initializer_list<Part> parts);

}  // namespace sim::training::layout_group
