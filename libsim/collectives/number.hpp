// A Number is a type that a collective can add up, average and compare.
#pragma once

#include "libsim/namespaces.hpp"

#include <type_traits>

namespace sim::collectives {

// The trait is open. To make your own number type a Number, declare `template <> inline constexpr bool
// sim::is_number<Mine> = true;`.
// It must be trivially copyable, convert to double, be constructible from double, and have > and a + whose result
// converts back to it.
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T>
concept Number = is_number<T>;

}  // namespace sim::collectives
