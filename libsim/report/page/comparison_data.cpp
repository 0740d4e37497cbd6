#include "libsim/report/page/comparison_data.hpp"

#include "libsim/report/page/inert.hpp"

#include <nlohmann/json.hpp>

namespace sim::report {

namespace {

using ComparisonJson = nlohmann::ordered_json;

ComparisonJson json_of_time(const ComparedTime& time) {
    return {{"name", time.name}, {"a", time.a}, {"b", time.b}, {"difference", time.difference()}};
}

}  // namespace

std::string comparison_data(const Comparison* comparison) {
    if (comparison == nullptr) {
        return "null";
    }
    ComparisonJson json{{"sentence", comparison->sentence}, {"all", json_of_time(comparison->all)}};
    json["parts"] = ComparisonJson::array();
    for (const ComparedTime& part : comparison->parts) {
        json["parts"].push_back(json_of_time(part));
    }
    json["changed"] = ComparisonJson::array();
    for (const ComparedSetting& one : comparison->changed) {
        json["changed"].push_back({{"name", one.name}, {"a", one.a}, {"b", one.b}});
    }
    return inert(json.dump(-1, ' ', false, ComparisonJson::error_handler_t::replace));
}

}  // namespace sim::report
