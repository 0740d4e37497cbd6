// The values of one option of a sweep are typed in one of these forms.
//
//   1,2,4          a list, of numbers or names
//   8:1024:x2      each twice the one before; 8:1024 the same
//   8:64:+8        each 8 more than the one before
//   a=1,b=2;a=3    with semicolons, of an option whose value has commas itself (OptionRow::has_commas)
#pragma once

#include "libsim/config/option_row.hpp"

#include <string>
#include <vector>

namespace sim::search {

// Each is one that `row` takes; none twice. Throws UsageError that names `what` ("--tp"), and for more than
// 1,000,000 values.
std::vector<std::string> sweep_values(const config::OptionRow& row, const std::string& what, const std::string& text);
// Values in a file: a number, a text as above, a list of numbers, true or false.
std::vector<std::string> sweep_values(const config::OptionRow& row, const std::string& what,
                                      const config::TomlValue& value);

}  // namespace sim::search
