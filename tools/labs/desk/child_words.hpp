// What learners' programs say when they are run as processes of their own.
#pragma once

#include <string>

namespace sim::labs {

// That of `timeout`, for a program that it had to stop.
inline constexpr int exit_code_of_timeout = 124;

// Empty where there is no such file.
std::string text_in(const std::string& file);
std::string last_line(const std::string& text);

}  // namespace sim::labs
