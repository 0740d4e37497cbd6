// What a collective can add up, average and compare.
#pragma once

#include "libsim/namespaces.hpp"

#include <type_traits>

namespace sim::collectives {

// Open: a number type of your own becomes one by `template <> inline constexpr bool sim::is_number<Mine> = true;`.
// It is copied as its bytes, converts to double, is made of a double, and has >, and a + that gives what it is made of.
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T>
concept Number = is_number<T>;

}  // namespace sim::collectives
