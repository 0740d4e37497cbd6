// The spans of a timeline as columns for pandas: a NumPy array or a list per column name.
//
// The names are those of traces (libsim/report/span_columns.hpp). A span without a peer or a message has -1 in that
// column; one without an amount in that measure, or without a tag, has 0.
#pragma once

#include "libsim/report/timeline.hpp"

#include <pybind11/pybind11.h>

namespace sim::python {

pybind11::dict columns_of(const report::Timeline& timeline);

}  // namespace sim::python
