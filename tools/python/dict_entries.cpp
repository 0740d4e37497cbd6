#include "tools/python/run_settings.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::python {

namespace py = pybind11;

namespace {

template <class Type>
bool all_are(const py::list& list) {
    return std::all_of(list.begin(), list.end(), [](const py::handle& each) { return py::isinstance<Type>(each); });
}

// Python and NumPy numbers. A bool, which is a number in Python, does not count.
bool is_number(const py::handle& value) {
    return !py::isinstance<py::bool_>(value) && !py::isinstance<py::str>(value) &&
           (PyIndex_Check(value.ptr()) != 0 || PyFloat_Check(value.ptr()) != 0);
}

config::TomlValue whole_number(const py::handle& value) {
    const auto whole = py::reinterpret_steal<py::int_>(PyNumber_Index(value.ptr()));
    int beyond = 0;
    const long long number = PyLong_AsLongLongAndOverflow(whole.ptr(), &beyond);
    return beyond == 0 ? config::TomlValue(std::int64_t{number}) : config::TomlValue(PyLong_AsDouble(whole.ptr()));
}

config::TomlValue value_of(const py::handle& value) {
    if (py::isinstance<py::bool_>(value)) {
        return value.cast<bool>();
    }
    if (py::isinstance<py::str>(value)) {
        return value.cast<std::string>();
    }
    if (PyFloat_Check(value.ptr()) != 0) {
        return value.cast<double>();
    }
    if (is_number(value)) {
        return whole_number(value);
    }
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
        std::vector<double> numbers;
        for (const py::handle& each : value) {
            if (!is_number(each)) {
                return config::OtherValue{"a list that is not of numbers"};
            }
            numbers.push_back(each.cast<double>());
        }
        return numbers;
    }
    return config::OtherValue{
        py::isinstance<py::dict>(value)
            ? "a table"
            : fmt::format("of type {}", std::string(py::str(py::type::of(value).attr("__name__"))))};
}

void collect(const py::dict& dict, const std::string& prefix, const std::string& name,
             std::vector<config::TomlEntry>& entries) {
    for (const auto& [key, value] : dict) {
        if (!py::isinstance<py::str>(key)) {
            throw config::UsageError(
                fmt::format("{}: the key {} is not a string", name, std::string(py::str(py::repr(key)))));
        }
        const std::string full = prefix + key.cast<std::string>();
        if (py::isinstance<py::dict>(value) && !value.cast<py::dict>().empty()) {
            collect(value.cast<py::dict>(), full + ".", name, entries);
            continue;
        }
        if (py::isinstance<py::list>(value) && py::len(value) > 0 && all_are<py::dict>(value.cast<py::list>())) {
            int number = 0;
            for (const py::handle& each : value) {
                collect(each.cast<py::dict>(), fmt::format("{}[{}].", full, ++number), name, entries);
            }
            continue;
        }
        entries.push_back({full, name, value_of(value)});
    }
}

}  // namespace

std::vector<config::TomlEntry> entries_of(const py::dict& dict, const std::string& name) {
    std::vector<config::TomlEntry> entries;
    collect(dict, "", name, entries);
    return entries;
}

}  // namespace sim::python
