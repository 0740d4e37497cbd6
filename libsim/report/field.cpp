#include "libsim/report/field.hpp"

#include <fmt/format.h>

#include <utility>

namespace sim::report {

Json schema_of(const char* type, std::string_view description) {
    return {{"type", type}, {"description", description}};
}

Json schema_of_list(std::string_view description, Json items) {
    return {{"type", "array"}, {"description", description}, {"items", std::move(items)}};
}

Json schema_of_perhaps(std::string_view description, Json schema) {
    return {{"description", description}, {"anyOf", {std::move(schema), {{"type", "null"}}}}};
}

Json schema_of_object(std::string_view description, Json required, Json properties) {
    return {{"type", "object"},
            {"description", description},
            {"additionalProperties", false},
            {"required", std::move(required)},
            {"properties", std::move(properties)}};
}

Json reference_to(const std::string& definition) {
    return {{"$ref", definition}};
}

bool is_nested_schema(const Json& schema) {
    const Json type = schema.value("type", Json("object"));
    return type == "object" || type == "array";
}

std::string cell_of(const Json& value, const char* format) {
    return value.is_string()         ? value.get<std::string>()
           : value.is_number_float() ? fmt::format(fmt::runtime(format), value.get<double>())
           : value.is_null()         ? ""
                                     : value.dump();
}

}  // namespace sim::report
