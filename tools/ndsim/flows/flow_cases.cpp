#include "tools/ndsim/flows/flow_cases.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace sim::tools {

using namespace config;
namespace {

using FlowJson = nlohmann::json;

// A value of the file, and its place for error messages: "flows.json: case "two share": flow 1 "f1"".
struct Place {
    const FlowJson& value;
    std::string where;

    [[noreturn]] void refuse(const std::string& what) const { throw UsageError(fmt::format("{}: {}", where, what)); }
};

std::vector<std::string> keys_of(const FlowJson& object) {
    std::vector<std::string> keys;
    for (const auto& item : object.items()) {
        keys.push_back(item.key());
    }
    return keys;
}

const FlowJson& member(const Place& place, const std::string& key) {
    const auto found = place.value.find(key);
    if (found == place.value.end()) {
        const std::string meant = nearest(key, keys_of(place.value));
        place.refuse(meant.empty() ? fmt::format("\"{}\" is missing", key)
                                   : fmt::format("\"{}\" is missing; is \"{}\" meant to be it?", key, meant));
    }
    return *found;
}

void expect_object(const Place& place) {
    if (!place.value.is_object()) {
        place.refuse(fmt::format("must be an object, not {}", place.value.dump().substr(0, 40)));
    }
}

const FlowJson& list(const Place& place, const std::string& key) {
    const FlowJson& value = member(place, key);
    if (!value.is_array()) {
        place.refuse(fmt::format("\"{}\" must be a list, not {}", key, value.dump().substr(0, 40)));
    }
    return value;
}

// Larger than any sensible value, and small enough that no product or quotient overflows.
constexpr double largest_number = 1e30;

enum class Least { zero, above_zero };

double number(const Place& place, const std::string& key, Least least) {
    const FlowJson& value = member(place, key);
    if (!value.is_number()) {
        place.refuse(fmt::format("\"{}\" must be a number, not {}", key, value.dump().substr(0, 40)));
    }
    const auto n = value.get<double>();
    if (least == Least::above_zero && !(n >= 1 / largest_number)) {
        place.refuse(fmt::format("\"{}\" must be above 0, not {}", key, value.dump()));
    }
    if (!(n >= 0 && n <= largest_number)) {
        place.refuse(fmt::format("\"{}\" must be from 0 to 1e30, not {}", key, value.dump()));
    }
    return n;
}

// Converts to picoseconds, and rounds what is a whole number but for floating-point error, so that flows whose times
// are equal on paper end at the same instant.
double picoseconds(double seconds) {
    const double exact = seconds * 1e12;
    const double whole = std::round(exact);
    return std::abs(exact - whole) <= whole * 4e-16 ? whole : exact;
}

std::string name_or(const Place& place, const std::string& otherwise) {
    const auto found = place.value.find("name");
    if (found == place.value.end()) {
        return otherwise;
    }
    if (!found->is_string()) {
        place.refuse(fmt::format("\"name\" must be a string, not {}", found->dump().substr(0, 40)));
    }
    return found->get<std::string>();
}

// `flow 3 "f3"`, or `flow 3` if it has no name.
std::string described(const std::string& kind, std::size_t number, const FlowJson& value) {
    const auto name = value.is_object() ? value.find("name") : value.end();
    if (!value.is_object() || name == value.end() || !name->is_string()) {
        return fmt::format("{} {}", kind, number);
    }
    return fmt::format("{} {} \"{}\"", kind, number, name->get<std::string>());
}

using LinksByName = std::unordered_map<std::string, LinkId>;

LinksByName parse_links(const Place& place, FlowCase& flow_case) {
    LinksByName by_name;
    for (const FlowJson& value : list(place, "links")) {
        const std::size_t number_of_link = flow_case.links.size();
        const Place link{value, fmt::format("{}: {}", place.where, described("link", number_of_link, value))};
        expect_object(link);
        member(link, "name");
        const std::string name = name_or(link, "");
        if (!by_name.emplace(name, static_cast<LinkId>(number_of_link)).second) {
            link.refuse(fmt::format("link {} has this name already", by_name.at(name)));
        }
        flow_case.link_names.push_back(name);
        flow_case.links.push_back({.bytes_per_second = number(link, "bandwidth", Least::above_zero),
                                   .latency = picoseconds(number(link, "latency", Least::zero))});
    }
    return by_name;
}

std::vector<LinkId> parse_route(const Place& flow, const FlowCase& flow_case, const LinksByName& by_name) {
    std::vector<LinkId> route;
    for (const FlowJson& value : list(flow, "links")) {
        if (!value.is_string()) {
            flow.refuse(fmt::format("\"links\" must be names of links, not {}", value.dump().substr(0, 40)));
        }
        const auto name = value.get<std::string>();
        const auto link = by_name.find(name);
        if (link == by_name.end()) {
            flow.refuse(fmt::format("there is no link \"{}\"{}", name, did_you_mean(name, flow_case.link_names)));
        }
        if (std::find(route.begin(), route.end(), link->second) != route.end()) {
            flow.refuse(fmt::format("takes link \"{}\" twice", name));
        }
        route.push_back(link->second);
    }
    return route;
}

FlowCase parse_case(const Place& place, std::size_t number_of_case) {
    expect_object(place);
    FlowCase result;
    result.name = name_or(place, fmt::format("case {}", number_of_case));
    const LinksByName by_name = parse_links(place, result);
    for (const FlowJson& value : list(place, "flows")) {
        const std::size_t number_of_flow = result.flows.size();
        const Place flow{value, fmt::format("{}: {}", place.where, described("flow", number_of_flow, value))};
        expect_object(flow);
        result.flow_names.push_back(name_or(flow, fmt::format("flow {}", number_of_flow)));
        result.flows.push_back({.at = picoseconds(number(flow, "start", Least::zero)),
                                .route = parse_route(flow, result, by_name),
                                .bytes = number(flow, "size", Least::zero)});
    }
    return result;
}

FlowJson parse_json(const std::string& text, const std::string& file) {
    try {
        return FlowJson::parse(text);
    } catch (const FlowJson::exception& error) {
        throw UsageError(fmt::format("{}: is not valid JSON: {}", file, without_number(error.what())));
    }
}

}  // namespace

std::vector<FlowCase> parse_flow_cases(const std::string& text, const std::string& file) {
    const FlowJson root = parse_json(text, file);
    const Place whole{root, file};
    expect_object(whole);
    if (!root.contains("cases") && !root.contains("flows")) {
        const std::vector<std::string> keys = keys_of(root);
        const std::string meant = nearest("cases", keys);
        whole.refuse(fmt::format("has neither \"cases\" nor, as one case, \"flows\"{}",
                                 meant.empty() ? "" : fmt::format("; is \"{}\" meant to be \"cases\"?", meant)));
    }
    if (!root.contains("cases")) {
        return {parse_case(whole, 0)};
    }
    std::vector<FlowCase> cases;
    for (const FlowJson& value : list(whole, "cases")) {
        const Place place{value, fmt::format("{}: {}", file, described("case", cases.size(), value))};
        cases.push_back(parse_case(place, cases.size()));
    }
    return cases;
}

}  // namespace sim::tools
