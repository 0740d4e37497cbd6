// The terms of a message are its label, its size and its tag, in this order; each is optional.
//
// A size without a unit, or a bare number as a tag, does not compile: the compiler says what to write instead.
#pragma once

#include "libsim/units.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace sim {

// Messages from one rank to another are matched by tag, in sending order. Tags are 0 or more.
enum class Tag : std::int32_t {};

struct MessageTerms {
    std::string_view label = {};
    std::optional<Size> size = {};
    Tag tag = {};
};

template <class T>
concept LabelTerm = std::convertible_to<const T&, std::string_view> && !BareNumber<T>;
template <class T>
concept SizeTerm = std::convertible_to<const T&, std::optional<Size>> && !BareNumber<T>;
// Bare numbers are accepted here so that they can be rejected with a reason.
template <class T>
concept MessageTerm = LabelTerm<T> || SizeTerm<T> || std::same_as<T, Tag> || BareNumber<T>;

template <MessageTerm T>
constexpr int place_of_term() {
    return LabelTerm<T> ? 0 : SizeTerm<T> ? 1 : 2;
}
template <MessageTerm... Terms>
constexpr bool terms_are_in_order() {
    [[maybe_unused]] int before = -1;  // unused if there are no terms
    bool in_order = true;
    ((in_order = in_order && place_of_term<Terms>() > before, before = place_of_term<Terms>()), ...);
    return in_order;
}

template <MessageTerm... Terms>
MessageTerms terms_of(const Terms&... terms) {
    constexpr bool none_is_bare = !(BareNumber<Terms> || ...);
    static_assert(
        none_is_bare,
        "a bare number is no term of a message: a size needs its unit, as in 100_MB or sim::Units{100}, and a "
        "tag is written sim::Tag{7}");
    MessageTerms all;
    if constexpr (none_is_bare) {
        static_assert(terms_are_in_order<Terms...>(), "the terms of a message come in this order: label, size, tag");
        const auto take = [&all]<class T>(const T& term) {
            if constexpr (LabelTerm<T>) {
                all.label = term;
            } else if constexpr (SizeTerm<T>) {
                all.size = term;
            } else {
                all.tag = term;
            }
        };
        (take(terms), ...);
    }
    return all;
}

}  // namespace sim
