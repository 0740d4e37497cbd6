// The price list of PyTorch's operators, asked with PyTorch's own tensors, as a dispatch mode of Python sees them; and
// the table that --explain-cost prints. Of a tensor it asks its shape, its type and whether it is contiguous.
#include "libsim/config/errors.hpp"
#include "libsim/predict/machine_file.hpp"
#include "tools/python/bindings.hpp"
#include "tools/torch/prices/price_list.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <deque>
#include <map>
#include <string>
#include <tuple>

namespace sim::python {

namespace py = pybind11;
namespace prices = torch::prices;

namespace {

seam::Type type_named(const std::string& name) {
    using seam::Type;
    static const std::map<std::string, Type> types{{"torch.bool", Type::flag},
                                                   {"torch.uint8", Type::uint8},
                                                   {"torch.int8", Type::int8},
                                                   {"torch.int16", Type::int16},
                                                   {"torch.int32", Type::int32},
                                                   {"torch.int64", Type::int64},
                                                   {"torch.float16", Type::float16},
                                                   {"torch.bfloat16", Type::bfloat16},
                                                   {"torch.float32", Type::float32},
                                                   {"torch.float64", Type::float64},
                                                   {"torch.complex32", Type::complex32},
                                                   {"torch.complex64", Type::complex64},
                                                   {"torch.complex128", Type::complex128}};
    const auto found = types.find(name);
    return found != types.end() ? found->second : name.starts_with("torch.float8") ? Type::float8 : Type::other;
}

// Values of a call, and the memory that they refer to.
class Values {
public:
    seam::Value of(const py::handle& given) {
        if (py::hasattr(given, "dtype") && py::hasattr(given, "shape")) {
            tensors_.push_back({tensor(given)});
            return {.kind = seam::Kind::tensor, .count = 1, .tensors = tensors_.back().data()};
        }
        if (py::isinstance<py::bool_>(given)) {
            return {.kind = seam::Kind::flag, .integer = given.cast<bool>() ? 1 : 0};
        }
        if (py::isinstance<py::int_>(given)) {
            return {.kind = seam::Kind::integer, .integer = given.cast<std::int64_t>()};
        }
        if (py::isinstance<py::float_>(given)) {
            return {.kind = seam::Kind::number, .number = given.cast<double>()};
        }
        const bool is_list = py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given);
        return is_list ? of_list(py::reinterpret_borrow<py::sequence>(given)) : seam::Value{};
    }

private:
    seam::Value of_list(const py::sequence& given) {
        std::vector<seam::Tensor> tensors;
        std::vector<std::int64_t> integers;
        for (const py::handle one : given) {
            if (py::hasattr(one, "dtype") && py::hasattr(one, "shape")) {
                tensors.push_back(tensor(one));
            } else if (py::isinstance<py::int_>(one)) {  // so are truths
                integers.push_back(one.cast<std::int64_t>());
            }
        }
        if (!tensors.empty()) {
            tensors_.push_back(std::move(tensors));
            return {.kind = seam::Kind::tensors,
                    .count = static_cast<std::int32_t>(tensors_.back().size()),
                    .tensors = tensors_.back().data()};
        }
        integers_.push_back(std::move(integers));
        return {.kind = seam::Kind::integers,
                .count = static_cast<std::int32_t>(integers_.back().size()),
                .integers = integers_.back().data()};
    }

    seam::Tensor tensor(const py::handle& given) {
        std::vector<std::int64_t>& sizes = integers_.emplace_back();
        for (const py::handle side : given.attr("shape")) {
            sizes.push_back(side.cast<std::int64_t>());
        }
        return {.sizes = sizes.data(),
                .dimensions = static_cast<std::int32_t>(sizes.size()),
                .type = type_named(py::str(given.attr("dtype"))),
                .is_on_gpu = true,
                .is_contiguous = given.attr("is_contiguous")().cast<bool>()};
    }

    std::deque<std::vector<seam::Tensor>> tensors_;
    std::deque<std::vector<std::int64_t>> integers_;
};

// What PyTorch says of an operator.
struct Schema {
    std::string name;
    std::string overload;
    std::vector<std::string> arguments;
    std::int32_t number = 0;  // in the price list
};

py::object from_json(const report::Json& json) {
    return py::module_::import("json").attr("loads")(json.dump());
}

class AskedList {
public:
    AskedList(const std::string& machine, int flash_version)
        : list_(training::OperatorTimes(predict::read_machine(machine).gpu, flash_version)) {}

    std::vector<std::pair<std::string, std::int64_t>> kernels(const py::object& func, const py::sequence& args,
                                                              const py::dict& kwargs, const py::object& out,
                                                              prices::Tf32 tf32) {
        const Schema& schema = schema_of(func.attr("_schema"));
        Values values;
        std::vector<seam::Value> arguments;
        for (std::size_t at = 0; at < schema.arguments.size(); ++at) {
            const py::str name(schema.arguments[at]);
            arguments.push_back(at < args.size()        ? values.of(args[at])
                                : kwargs.contains(name) ? values.of(kwargs[name])
                                                        : seam::Value{});
        }
        std::vector<seam::Value> results;
        if (py::isinstance<py::tuple>(out)) {
            for (const py::handle one : out) {
                results.push_back(values.of(one));
            }
        } else if (!out.is_none()) {
            results.push_back(values.of(out));
        }
        list_.tf32 = tf32;
        std::vector<std::pair<std::string, std::int64_t>> found;
        for (const prices::Kernel& kernel : list_.kernels(schema.number, arguments.data(), results)) {
            found.emplace_back(kernel.label, kernel.time.count());
        }
        return found;
    }

    py::object rows() const { return from_json(prices::row_record().list(list_.rows())); }
    std::string text() const { return prices::bill_text(list_.rows()); }
    std::int64_t launch_picoseconds() const { return list_.launch().count(); }

private:
    const Schema& schema_of(const py::object& of) {
        const std::pair key{of.attr("name").cast<std::string>(), of.attr("overload_name").cast<std::string>()};
        const auto found = schemas_.find(key);
        if (found != schemas_.end()) {
            return found->second;
        }
        Schema& schema = schemas_[key];
        std::tie(schema.name, schema.overload) = key;
        std::deque<bool> is_written;
        for (const py::handle argument : of.attr("arguments")) {
            schema.arguments.push_back(argument.attr("name").cast<std::string>());
            const py::object alias = argument.attr("alias_info");
            is_written.push_back(!alias.is_none() && alias.attr("is_write").cast<bool>());
        }
        enter(schema, is_written);
        return schema;
    }

    void enter(Schema& schema, const std::deque<bool>& is_written) {
        std::vector<const char*> names;
        for (const std::string& name : schema.arguments) {
            names.push_back(name.c_str());
        }
        const auto written = std::make_unique<bool[]>(is_written.size());
        std::copy(is_written.begin(), is_written.end(), written.get());
        schema.number = list_.known({.name = schema.name.c_str(),
                                     .overload = schema.overload.c_str(),
                                     .arguments = names.data(),
                                     .is_written = written.get(),
                                     .count = static_cast<std::int32_t>(names.size())});
    }

    prices::PriceList list_;
    std::map<std::pair<std::string, std::string>, Schema> schemas_;
};

prices::Row row_of(const py::dict& given) {
    return {.label = given["operator"].cast<std::string>(),
            .count = given["count"].cast<std::int64_t>(),
            .seconds = given["seconds"].cast<double>(),
            .how = given["how"].cast<std::string>(),
            .of_peak = given["of_peak"].cast<std::optional<double>>(),
            .is_guessed = given["guessed"].cast<bool>(),
            .share = given["share"].cast<double>()};
}

std::string operator_table(const std::vector<py::dict>& given, std::optional<std::size_t> most) {
    std::vector<prices::Row> rows;
    for (const py::dict& row : given) {
        rows.push_back(row_of(row));
    }
    return prices::bill_text(rows, most);
}

}  // namespace

void bind_operator_prices(py::module_& module) {
    py::class_<AskedList>(module, "PriceList", "What PyTorch's operators cost on a machine's GPU.")
        .def(py::init([](const std::string& machine, int flash_version) {
                 if (flash_version < 1 || flash_version > 3) {
                     throw config::UsageError(fmt::format("flash_version must be 1, 2 or 3, not {}", flash_version));
                 }
                 return std::make_unique<AskedList>(machine, flash_version);
             }),
             py::arg("machine"), py::arg("flash_version") = training::flash_version_of_torch)
        .def(
            "kernels",
            [](AskedList& self, const py::object& func, const py::sequence& args, const py::object& kwargs,
               const py::object& out, bool products_in_tf32, bool convolutions_in_tf32) {
                return self.kernels(func, args, kwargs.is_none() ? py::dict() : py::dict(kwargs), out,
                                    {.products = products_in_tf32, .convolutions = convolutions_in_tf32});
            },
            py::arg("func"), py::arg("args"), py::arg("kwargs"), py::arg("out"), py::kw_only(),
            py::arg("products_in_tf32") = false, py::arg("convolutions_in_tf32") = true,
            "The kernels of one call: a label and picoseconds of each.")
        .def("rows", &AskedList::rows, "A row for each operator and way of pricing, the dearest first.")
        .def("text", &AskedList::text, "The same for people.")
        .def_property_readonly("launch_picoseconds", &AskedList::launch_picoseconds,
                               "What the host needs for one operator in eager mode.");
    module.def("operator_table", &operator_table, py::arg("rows"), py::arg("most") = py::none(),
               "Rows for people; `most`: so many of them, and the others in one.");
}

}  // namespace sim::python
