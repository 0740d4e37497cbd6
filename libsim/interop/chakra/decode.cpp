// Decodes protobuf bytes into values.
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/interop/chakra/attributes.hpp"
#include "libsim/interop/chakra/messages.hpp"
#include "libsim/nearest.hpp"

#include <execution_trace.pb.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>
#include <map>

namespace sim::chakra {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

// The attributes of one node, by name; the last one wins if a name repeats.
class Attributes {
public:
    Attributes(const ChakraProtoMsg::Node& from, std::string where) : where_(std::move(where)) {
        for (const ChakraProtoMsg::AttributeProto& attribute : from.attr()) {
            by_name_[attribute.name()] = &attribute;
        }
    }

    [[noreturn]] void refuse(const std::string& why) const {
        throw config::UsageError(fmt::format("{}: {}", where_, why));
    }

    std::optional<std::int64_t> whole(const char* name, std::int64_t low, std::int64_t high) const {
        const auto at = by_name_.find(name);
        if (at == by_name_.end()) {
            return std::nullopt;
        }
        const std::optional<std::int64_t> value = whole_of(*at->second);
        if (!value) {
            refuse(fmt::format("{} must be a 64-bit whole number", name));
        }
        if (*value < low || *value > high) {
            refuse(high == largest ? fmt::format("{} must be {} or more, not {}", name, low, *value)
                                   : fmt::format("{} must be {} to {}, not {}", name, low, high, *value));
        }
        return value;
    }
    std::int64_t needed(const char* name, std::int64_t low, std::int64_t high) const {
        const std::optional<std::int64_t> value = whole(name, low, high);
        if (!value) {
            refuse(fmt::format("{} is missing", name));
        }
        return *value;
    }
    bool flag(const char* name) const { return whole(name, 0, 1).value_or(0) != 0; }
    std::string text(const char* name) const {
        const auto at = by_name_.find(name);
        if (at == by_name_.end()) {
            return "";
        }
        if (at->second->value_case() != ChakraProtoMsg::AttributeProto::kStringVal) {
            refuse(fmt::format("{} must be a string", name));
        }
        return at->second->string_val();
    }

private:
    static std::optional<std::int64_t> whole_of(const ChakraProtoMsg::AttributeProto& attribute) {
        using Attribute = ChakraProtoMsg::AttributeProto;
        const auto fitting = [](std::uint64_t value) {
            return value > static_cast<std::uint64_t>(largest) ? std::nullopt
                                                               : std::optional(static_cast<std::int64_t>(value));
        };
        switch (attribute.value_case()) {
            case Attribute::kInt32Val: return attribute.int32_val();
            case Attribute::kInt64Val: return attribute.int64_val();
            case Attribute::kUint32Val: return attribute.uint32_val();
            case Attribute::kUint64Val: return fitting(attribute.uint64_val());
            case Attribute::kSint32Val: return attribute.sint32_val();
            case Attribute::kSint64Val: return attribute.sint64_val();
            case Attribute::kFixed32Val: return attribute.fixed32_val();
            case Attribute::kFixed64Val: return fitting(attribute.fixed64_val());
            case Attribute::kSfixed32Val: return attribute.sfixed32_val();
            case Attribute::kSfixed64Val: return attribute.sfixed64_val();
            case Attribute::kBoolVal: return attribute.bool_val() ? 1 : 0;
            default: return std::nullopt;
        }
    }

    std::string where_;
    std::map<std::string, const ChakraProtoMsg::AttributeProto*> by_name_;
};

constexpr int most_rank = std::numeric_limits<int>::max();

void take_time(Node& node, const ChakraProtoMsg::Node& from, const Attributes& attributes) {
    constexpr auto longest = std::chrono::floor<std::chrono::microseconds>(Duration::max());
    if (from.duration_micros() > static_cast<std::uint64_t>(longest.count())) {
        attributes.refuse(fmt::format("duration_micros is {}: simulated time goes up to {}", from.duration_micros(),
                                      longest.count()));
    }
    const Duration said = std::chrono::microseconds{from.duration_micros()};
    node.time = Duration{attributes.whole(attribute::time, 0, largest).value_or(said.count())};
}

void take_exact_size(Node& node, const Attributes& attributes, std::int64_t least) {
    if (const auto amount = attributes.whole(attribute::amount, least, largest)) {
        const std::string measure = attributes.text(attribute::measure);
        if (measure != "bytes" && measure != "units") {
            attributes.refuse(
                fmt::format("{} must be bytes or units, not \"{}\"", attribute::measure, config::shortened(measure)));
        }
        node.size = Size{*amount, measure == "units" ? Measure::units : Measure::bytes};
    }
}

// Node kinds that Chakra lacks are stored as computations.
void take_computation(Node& node, const Attributes& attributes) {
    node.flops = attributes.whole("num_ops", 0, largest).value_or(0);
    if (attributes.flag(attribute::wait)) {
        node.kind = NodeKind::metadata;
    } else if (attributes.flag(attribute::log_line)) {
        node.kind = NodeKind::log_line;
    } else if (attributes.flag(attribute::allocation)) {
        node.kind = NodeKind::allocation;
        attributes.needed(attribute::amount, -largest, largest);
        take_exact_size(node, attributes, -largest);
    }
}

void take_size(Node& node, const Attributes& attributes) {
    const bool needs_size = node.kind != NodeKind::collective || node.collective != CollectiveKind::barrier;
    node.bytes =
        needs_size ? attributes.needed("comm_size", 0, largest) : attributes.whole("comm_size", 0, largest).value_or(0);
    take_exact_size(node, attributes, 0);
}

void take_message(Node& node, const Attributes& attributes, int rank) {
    const bool sends = node.kind == NodeKind::send;
    const char* const own = sends ? "comm_src" : "comm_dst";
    const std::int64_t self = attributes.whole(own, 0, most_rank).value_or(rank);
    if (self != rank) {
        attributes.refuse(fmt::format("{} is {}, but this is the trace of rank {}", own, self, rank));
    }
    node.peer = static_cast<int>(attributes.needed(sends ? "comm_dst" : "comm_src", 0, most_rank));
    if (node.peer == rank) {
        attributes.refuse(fmt::format("rank {} cannot {} itself", rank, sends ? "send to" : "receive from"));
    }
    node.tag = static_cast<std::int32_t>(attributes.needed("comm_tag", std::numeric_limits<std::int32_t>::min(),
                                                           std::numeric_limits<std::int32_t>::max()));
    take_size(node, attributes);
    node.in_collective = attributes.flag(attribute::in_collective);
}

std::optional<AlgorithmConfig> algorithm_in(const Attributes& attributes) {
    const std::string name = attributes.text(attribute::algorithm);
    if (name.empty()) {
        return std::nullopt;
    }
    const std::optional<Algorithm> algorithm = algorithm_named(name);
    if (!algorithm) {
        std::vector<std::string> known;
        for (const Algorithm one : all_algorithms()) {
            known.emplace_back(name_of(one));
        }
        attributes.refuse(fmt::format("{}: there is no algorithm \"{}\"{}", attribute::algorithm,
                                      config::shortened(name), did_you_mean(config::shortened(name), known)));
    }
    const auto parameter = [&](const char* of, int low, int high, int otherwise) {
        return static_cast<int>(attributes.whole(of, low, high).value_or(otherwise));
    };
    return AlgorithmConfig{*algorithm,
                           {.channels = parameter(attribute::channels, 1, most_channels, 1),
                            .pieces = parameter(attribute::pieces, 0, most_pieces, 0),
                            .inner = parameter(attribute::inner, 0, most_inner, 0),
                            .middle = parameter(attribute::middle, 0, most_inner, 0)}};
}

Reduction reduction_in(const Attributes& attributes) {
    const std::string name = attributes.text(attribute::reduction);
    for (const Reduction reduction : {Reduction::sum, Reduction::average, Reduction::max}) {
        if (name.empty() || name == name_of(reduction)) {
            return reduction;
        }
    }
    attributes.refuse(fmt::format("{}: there is no \"{}\"", attribute::reduction, config::shortened(name)));
}

void take_collective(Node& node, const Attributes& attributes) {
    const std::int64_t type = attributes.needed("comm_type", 0, std::ssize(collective_types) - 1);
    node.collective = *collective_of_type(type);
    take_size(node, attributes);
    node.group = attributes.text("pg_name");
    node.root = static_cast<int>(attributes.whole(attribute::root, 0, most_rank).value_or(-1));
    node.reduction = reduction_in(attributes);
    node.algorithm = algorithm_in(attributes);
}

void take_stream(Node& node, const Attributes& attributes) {
    if (const auto stream = attributes.whole(attribute::stream, 0, static_cast<int>(Stream::own))) {
        node.stream = static_cast<Stream>(*stream);
    }
}

}  // namespace

std::string version_of(const std::string& bytes, const std::string& file) {
    ChakraProtoMsg::GlobalMetadata metadata;
    if (!metadata.ParseFromString(bytes)) {
        throw config::UsageError(fmt::format("{}: is not a Chakra execution trace: it has no GlobalMetadata", file));
    }
    return metadata.version();
}

Node node_of(const std::string& bytes, int rank, const std::string& file, ProcessGroups& groups) {
    ChakraProtoMsg::Node from;
    if (!from.ParseFromString(bytes) || !ChakraProtoMsg::NodeType_IsValid(from.type())) {
        throw config::UsageError(
            fmt::format("{}: is not a Chakra execution trace: it has a message that is not a node", file));
    }
    Node node{.id = from.id(),
              .name = from.name(),
              .kind = static_cast<NodeKind>(from.type()),
              .ctrl_deps = {from.ctrl_deps().begin(), from.ctrl_deps().end()},
              .data_deps = {from.data_deps().begin(), from.data_deps().end()}};
    const Attributes attributes(from, fmt::format("{}: {}", file, describe(node)));
    node.on_cpu = attributes.flag("is_cpu_op");
    take_time(node, from, attributes);
    take_stream(node, attributes);
    switch (node.kind) {
        case NodeKind::invalid: attributes.refuse("has no type"); break;
        case NodeKind::metadata:
            take_groups(from.inputs().values(), fmt::format("{}: {}", file, describe(node)), groups);
            break;
        case NodeKind::compute: take_computation(node, attributes); break;
        case NodeKind::send:
        case NodeKind::receive: take_message(node, attributes, rank); break;
        case NodeKind::collective: take_collective(node, attributes); break;
        default: break;
    }
    return node;
}

}  // namespace sim::chakra
