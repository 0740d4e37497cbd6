// The elements of a buffer as C++ numbers.
#pragma once

#include "libsim/collectives/half.hpp"
#include "tools/python/buffers.hpp"

#include <cstdint>
#include <span>

namespace sim::python {

enum class NumberKind { signed_integer, unsigned_integer, real, other };

// `other` stands for complex numbers, booleans, records, and numbers in the other byte order.
NumberKind number_kind(const Buffer& buffer);
// Raises TypeError with the element types that can be reduced, and a way to get one.
[[noreturn]] void refuse_elements(const Buffer& buffer, const char* what);
// The same for operations that only move elements.
[[noreturn]] void refuse_element_size(const Buffer& buffer, const char* what);

template <class Number>
std::span<Number> numbers_in(const Buffer& buffer) {
    return {reinterpret_cast<Number*>(buffer.bytes().data()), buffer.count()};
}

// Calls `use` with the elements as a span of numbers that support reduction.
template <class Use>
void with_numbers(const Buffer& buffer, const char* what, Use use) {
    const auto is = [&](NumberKind kind, std::size_t size) {
        return number_kind(buffer) == kind && buffer.element_size() == size;
    };
    const auto use_if = [&]<class Number>(NumberKind kind, Number) {
        const bool fits = is(kind, sizeof(Number));
        if (fits) {
            use(numbers_in<Number>(buffer));
        }
        return fits;
    };
    const bool done =
        use_if(NumberKind::real, double{}) || use_if(NumberKind::real, float{}) ||
        use_if(NumberKind::real, collectives::Half{}) || use_if(NumberKind::signed_integer, std::int64_t{}) ||
        use_if(NumberKind::signed_integer, std::int32_t{}) || use_if(NumberKind::signed_integer, std::int16_t{}) ||
        use_if(NumberKind::signed_integer, std::int8_t{}) || use_if(NumberKind::unsigned_integer, std::uint64_t{}) ||
        use_if(NumberKind::unsigned_integer, std::uint32_t{}) ||
        use_if(NumberKind::unsigned_integer, std::uint16_t{}) || use_if(NumberKind::unsigned_integer, std::uint8_t{});
    if (!done) {
        refuse_elements(buffer, what);
    }
}

// Calls `use` with the elements as a span of integers of their size, for operations that only move them.
template <class Use>
void with_elements(const Buffer& buffer, const char* what, Use use) {
    switch (buffer.element_size()) {
        case 1: return use(numbers_in<std::uint8_t>(buffer));
        case 2: return use(numbers_in<std::uint16_t>(buffer));
        case 4: return use(numbers_in<std::uint32_t>(buffer));
        case 8: return use(numbers_in<std::uint64_t>(buffer));
        default: refuse_element_size(buffer, what);
    }
}

}  // namespace sim::python
