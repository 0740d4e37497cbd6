// A Number is a type that a collective can add up, average and compare.
#pragma once

#include "libsim/namespaces.hpp"

#include <type_traits>

namespace sim::collectives {

// The trait is open. To make a number type of your own a Number, declare
// `template <> inline constexpr bool sim::is_number<Mine> = true;`.
// It is copied as its bytes, converts to double, is constructed from a double, and has >, and a + whose result it can
// be constructed from.
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T>
concept Number = is_number<T>;

}  // namespace sim::collectives
