#include "tools/python/run_result.hpp"

#include "libsim/report/span_columns.hpp"

#include <pybind11/numpy.h>

#include <unordered_map>

namespace sim::python {

namespace py = pybind11;

namespace {

py::array_t<std::int64_t> numbers_of(const report::Timeline& timeline, const report::SpanNumber& column) {
    const std::int64_t none = column.low == 0 ? -1 : 0;
    // The strides are passed because pybind11 before 2.12 reads NumPy 2's element size as 0 and takes all rows for one.
    py::array_t<std::int64_t> values({static_cast<py::ssize_t>(timeline.spans.size())},
                                     {static_cast<py::ssize_t>(sizeof(std::int64_t))});
    std::int64_t* next = values.mutable_data();
    for (const Span& span : timeline.spans) {
        *next++ = column.value(span).value_or(none);
    }
    return values;
}

// One shared Python string per distinct key.
template <class Key>
class Texts {
public:
    const py::str& text(const Key& key, const char* text) {
        return texts_
            .try_emplace(key, py::reinterpret_steal<py::str>(
                                  PyUnicode_DecodeUTF8(text, static_cast<py::ssize_t>(std::strlen(text)), "replace")))
            .first->second;
    }

private:
    std::unordered_map<Key, py::str> texts_;
};

}  // namespace

py::dict columns_of(const report::Timeline& timeline) {
    py::dict columns;
    const auto add = [&](std::string_view name, py::object column) { columns[py::str(name)] = std::move(column); };
    Texts<int> kinds;
    Texts<const std::string*> labels;
    py::list kind(timeline.spans.size());
    py::list label(timeline.spans.size());
    for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
        const Span& span = timeline.spans[i];
        kind[i] = kinds.text(static_cast<int>(span.kind), name_of(span.kind));
        label[i] = labels.text(span.label, span.label->c_str());
    }
    for (const report::SpanNumber& column : report::span_numbers()) {
        add(column.name, numbers_of(timeline, column));
    }
    add(report::span_kind_name, std::move(kind));
    add(report::span_label_name, std::move(label));
    return columns;
}

}  // namespace sim::python
