#include "tools/python/elements.hpp"

#include <fmt/format.h>

#include <bit>

namespace sim::python {

namespace py = pybind11;

namespace {

constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';

// The familiar name, such as "float16"; the format if there is no dtype.
std::string dtype_name(const Buffer& buffer) {
    if (py::hasattr(buffer.owner(), "dtype")) {
        return py::str(buffer.owner().attr("dtype"));
    }
    return fmt::format("\"{}\"", buffer.format());
}

}  // namespace

NumberKind number_kind(const Buffer& buffer) {
    std::string format = buffer.format();
    const std::size_t orders = format.find_first_of("<>=@!");
    if (orders == 0) {
        const char order = format[0];
        const bool is_native = order == '=' || order == '@' || order == native_order || buffer.element_size() == 1;
        format = is_native ? format.substr(1) : "";
    }
    if (format.size() != 1) {
        return NumberKind::other;
    }
    const auto is_one_of = [&](const char* letters) { return std::string(letters).find(format) != std::string::npos; };
    return is_one_of("bhilqn")   ? NumberKind::signed_integer
           : is_one_of("BHILQN") ? NumberKind::unsigned_integer
           : is_one_of("efd")    ? NumberKind::real
                                 : NumberKind::other;
}

void refuse_elements(const Buffer& buffer, const char* what) {
    throw py::type_error(fmt::format(
        "{} cannot add up elements of {}; it can those of float16, float32, float64 and of whole numbers of 8 to 64 "
        "bits, in this machine's byte order: x.astype(numpy.float32) is one",
        what, dtype_name(buffer)));
}

void refuse_element_size(const Buffer& buffer, const char* what) {
    throw py::type_error(fmt::format("{} moves elements of 1, 2, 4 or 8 bytes, and those of {} have {}", what,
                                     dtype_name(buffer), buffer.element_size()));
}

}  // namespace sim::python
