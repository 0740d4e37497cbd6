#include "tests/torch/recorded.hpp"

#include <fstream>
#include <map>
#include <string>

namespace sim::test {

using nlohmann::json;

namespace {

seam::Type recorded_type(const std::string& name) {
    using seam::Type;
    static const std::map<std::string, Type> types{
        {"fp32", Type::float32}, {"fp16", Type::float16}, {"bf16", Type::bfloat16}, {"fp64", Type::float64},
        {"i64", Type::int64},    {"flag", Type::flag},    {"c64", Type::complex64}};
    return types.at(name);
}

bool is_recorded_tensor(const json& value) {
    return (value.is_array() && !value.empty() && value.at(0).is_string()) ||
           (value.is_object() && value.contains("is"));
}

On recorded_tensor(const json& given) {
    if (given.is_object()) {
        On tensor = recorded_tensor(given.at("is"));
        tensor.storage = given.at("of");
        tensor.offset = given.at("at");
        return tensor;
    }
    const std::string type = given.at(0);
    const std::size_t blank = type.find(' ');
    On tensor{.type = recorded_type(type.substr(0, blank)), .is_contiguous = blank == std::string::npos};
    for (std::size_t at = 1; at < given.size(); ++at) {
        tensor.sizes.push_back(given.at(at));
    }
    return tensor;
}

Given recorded_value(const json& value) {
    if (value.is_boolean()) {
        return value.get<bool>();
    }
    if (value.is_number_integer()) {
        return value.get<std::int64_t>();
    }
    if (value.is_number()) {
        return value.get<double>();
    }
    if (is_recorded_tensor(value)) {
        return recorded_tensor(value);
    }
    if (value.is_object()) {
        return value.at("i").get<Integers>();
    }
    if (value.is_array()) {
        Lists list;
        for (const json& one : value) {
            list.push_back(recorded_tensor(one));
        }
        return list;
    }
    return None{};
}

}  // namespace

json recorded(const char* file) {
    return json::parse(std::ifstream(std::string(NDSIM_SOURCE_DIR "/tests/torch/data/") + file));
}

Schema schema_of(const json& op) {
    return {.name = op.at("name"),
            .arguments = op.at("arguments"),
            .written = op.at("written"),
            .overload = op.at("overload")};
}

std::vector<Given> all_given(const json& values) {
    std::vector<Given> all;
    for (const json& value : values) {
        all.push_back(recorded_value(value));
    }
    return all;
}

}  // namespace sim::test
