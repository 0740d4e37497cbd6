// Encodes values as protobuf bytes.
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/interop/chakra/attributes.hpp"
#include "libsim/interop/chakra/messages.hpp"

#include <execution_trace.pb.h>

#include <chrono>

namespace sim::chakra {

namespace {

void add_text(ChakraProtoMsg::Node& node, const char* name, const std::string& value) {
    ChakraProtoMsg::AttributeProto& attribute = *node.add_attr();
    attribute.set_name(name);
    attribute.set_string_val(value);
}

void add_whole(ChakraProtoMsg::Node& node, const char* name, std::int64_t value) {
    ChakraProtoMsg::AttributeProto& attribute = *node.add_attr();
    attribute.set_name(name);
    attribute.set_int64_val(value);
}

void add_flag(ChakraProtoMsg::Node& node, const char* name, bool value) {
    ChakraProtoMsg::AttributeProto& attribute = *node.add_attr();
    attribute.set_name(name);
    attribute.set_bool_val(value);
}

void add_time(ChakraProtoMsg::Node& to, const Node& node) {
    const auto micros = std::chrono::ceil<std::chrono::microseconds>(node.time);
    to.set_duration_micros(static_cast<std::uint64_t>(micros.count()));
    if (micros != node.time) {
        add_whole(to, attribute::time, node.time.count());
    }
}

void add_exact_size(ChakraProtoMsg::Node& to, Size size) {
    add_whole(to, attribute::amount, size.amount);
    add_text(to, attribute::measure, size.measure == Measure::units ? "units" : "bytes");
}

void add_size(ChakraProtoMsg::Node& to, const Node& node) {
    add_whole(to, "comm_size", node.bytes);
    if (node.size) {
        add_exact_size(to, *node.size);
    }
}

void add_message(ChakraProtoMsg::Node& to, const Node& node, int rank) {
    const bool sends = node.kind == NodeKind::send;
    add_whole(to, "comm_src", sends ? rank : node.peer);
    add_whole(to, "comm_dst", sends ? node.peer : rank);
    add_whole(to, "comm_tag", node.tag);
    add_size(to, node);
    if (node.in_collective) {
        add_flag(to, attribute::in_collective, true);
    }
}

void add_collective(ChakraProtoMsg::Node& to, const Node& node) {
    add_whole(to, "comm_type", type_of(node.collective));
    add_size(to, node);
    if (!node.group.empty()) {
        add_text(to, "pg_name", node.group);
    }
    if (node.root >= 0) {
        add_whole(to, attribute::root, node.root);
    }
    if (node.reduction != Reduction::sum) {
        add_text(to, attribute::reduction, name_of(node.reduction));
    }
    if (node.algorithm) {
        add_text(to, attribute::algorithm, name_of(node.algorithm->algorithm));
        add_whole(to, attribute::channels, node.algorithm->channels);
        add_whole(to, attribute::pieces, node.algorithm->pieces);
        add_whole(to, attribute::inner, node.algorithm->inner);
        add_whole(to, attribute::middle, node.algorithm->middle);
    }
}

}  // namespace

std::string bytes_of_version(const std::string& version) {
    ChakraProtoMsg::GlobalMetadata metadata;
    metadata.set_version(version);
    return metadata.SerializeAsString();
}

std::string bytes_of_groups(const ProcessGroups& groups, std::uint64_t id) {
    ChakraProtoMsg::Node to;
    to.set_id(id);
    to.set_name("process groups");
    to.set_type(ChakraProtoMsg::METADATA_NODE);
    to.mutable_inputs()->set_values(group_list(groups));
    add_flag(to, "is_cpu_op", true);
    return to.SerializeAsString();
}

std::string bytes_of(const Node& node, int rank) {
    ChakraProtoMsg::Node to;
    to.set_id(node.id);
    to.set_name(node.name);
    to.set_type(is_of_ndsim(node.kind) ? ChakraProtoMsg::COMP_NODE : static_cast<ChakraProtoMsg::NodeType>(node.kind));
    to.mutable_ctrl_deps()->Add(node.ctrl_deps.begin(), node.ctrl_deps.end());
    to.mutable_data_deps()->Add(node.data_deps.begin(), node.data_deps.end());
    add_flag(to, "is_cpu_op", node.on_cpu);
    add_time(to, node);
    switch (node.kind) {
        case NodeKind::compute:
            add_whole(to, "num_ops", node.flops);
            // ASTRA-sim skips a computation that touches no memory.
            add_whole(to, "tensor_size", 1);
            break;
        case NodeKind::metadata:
            if (is_wait_or_mark(node)) {
                to.set_type(ChakraProtoMsg::COMP_NODE);
                add_flag(to, attribute::wait, true);
            }
            break;
        case NodeKind::send:
        case NodeKind::receive: add_message(to, node, rank); break;
        case NodeKind::collective: add_collective(to, node); break;
        case NodeKind::allocation:
            add_flag(to, attribute::allocation, true);
            add_exact_size(to, *node.size);
            break;
        case NodeKind::log_line: add_flag(to, attribute::log_line, true); break;
        default: break;
    }
    if (node.stream) {
        add_whole(to, attribute::stream, static_cast<int>(*node.stream));
    }
    return to.SerializeAsString();
}

}  // namespace sim::chakra
