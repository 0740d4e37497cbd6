// The values of one option of a sweep are typed in one of these forms.
//
//   1,2,4          a list, of numbers or names
//   8:1024:x2      each twice the previous one; 8:1024 is the same
//   8:64:+8        each 8 more than the previous one
//   a=1,b=2;a=3    separated by semicolons, if the option's value contains commas (OptionRow::has_commas)
#pragma once

#include "libsim/config/option_row.hpp"

#include <string>
#include <vector>

namespace sim::search {

// Every value is one that `row` takes, and none repeats. Throws UsageError that names `what` ("--tp"), also for more
// than 1,000,000 values.
std::vector<std::string> sweep_values(const config::OptionRow& row, const std::string& what, const std::string& text);
// Values in a file: a number, a text as above, a list of numbers, true or false.
std::vector<std::string> sweep_values(const config::OptionRow& row, const std::string& what,
                                      const config::TomlValue& value);

}  // namespace sim::search
