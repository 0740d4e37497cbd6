#include "libsim/gpu.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/error.hpp"

#include <fmt/format.h>

namespace sim {

namespace {

constexpr std::int64_t any_amount = -1;

Op compute_op(Label label, Work work) {
    if (work.amount < 0) {
        throw ProgramError("compute needs an amount of 0 or more");
    }
    return {.kind = OpKind::compute, .measure = work.measure, .label = label, .amount = work.amount};
}

Op message_op(OpKind kind, Label label, int peer, Size size, Tag tag) {
    if (size.amount < 0) {
        throw ProgramError(fmt::format("{} needs a size of 0 or more", name_of(kind)));
    }
    return {.kind = kind,
            .measure = size.measure,
            .label = label,
            .peer = peer,
            .tag = static_cast<std::int32_t>(tag),
            .amount = size.amount};
}

}  // namespace

// Builds a point-to-point message of the program, after checking its arguments.
Op GPU::message(OpKind kind, int peer, std::string_view text, Size size, Tag tag) {
    const char* const verb = kind == OpKind::send ? "send to" : "receive from";
    if (peer < 0 || peer >= world_size()) {
        throw ProgramError(
            fmt::format("rank {} cannot {} rank {}: ranks are 0 to {}", rank(), verb, peer, world_size() - 1));
    }
    if (peer == rank()) {
        throw ProgramError(fmt::format("rank {} cannot {} itself", rank(), verb));
    }
    if (static_cast<std::int32_t>(tag) < 0) {
        throw ProgramError(fmt::format("a tag must be 0 or more, not {}", static_cast<std::int32_t>(tag)));
    }
    Op op = message_op(kind, label(text), peer, size, tag);
    op.stream = stream_;
    return op;
}

// A receive with payload; without a size it accepts any.
Op GPU::data_receive(int source, std::string_view text, std::optional<Size> size, Tag tag, std::uint64_t bytes) {
    Op op = message(OpKind::receive, source, text, size.value_or(Bytes{0}), tag);
    op.amount = size ? op.amount : any_amount;
    op.bytes = bytes;
    return op;
}

Handle GPU::start(Op op, std::span<std::byte> into) {
    require_main("an asynchronous operation");
    op.stream = Stream::own;
    port_->post(op);
    return {asynchronous_ops_++, into};
}

// An op that returns no data needs no answer.
void GPU::post_or_read(const Op& op, std::span<std::byte> into) {
    if (into.empty()) {
        port_->post(op);
        return;
    }
    port_->ask(op);
    port_->read(into);
}

void GPU::write(std::span<const std::byte> data) {
    if (!data.empty()) {
        port_->write(data);
    }
}

void GPU::compute(std::string_view text, Work work, int purpose) {
    if (static_cast<int>(stream_) > most_streams) {
        throw ProgramError(fmt::format("rank {}: computing has no place on a channel of a collective", rank()));
    }
    Op op = compute_op(label(text), work);
    op.stream = stream_;
    op.tag = purpose;
    port_->post(op);
}

Handle GPU::compute_async(std::string_view text, Work work) {
    return start(compute_op(label(text), work));
}

void GPU::send(int target, std::string_view text, Size size, Tag tag) {
    port_->post(message(OpKind::send, target, text, size, tag));
}

Handle GPU::send_async(int target, std::string_view text, Size size, Tag tag) {
    return start(message(OpKind::send, target, text, size, tag));
}

void GPU::receive(int source, std::string_view text, Size size, Tag tag) {
    port_->post(message(OpKind::receive, source, text, size, tag));
}

Handle GPU::receive_async(int source, std::string_view text, Size size, Tag tag) {
    return start(message(OpKind::receive, source, text, size, tag));
}

Op GPU::data_send(int target, std::span<const std::byte> data, std::string_view text, std::optional<Size> size,
                  Tag tag) {
    const Size cost = size.value_or(Bytes{static_cast<std::int64_t>(data.size())});
    Op op = message(OpKind::send, target, text, cost, tag);
    op.bytes = data.size();
    write(data);
    return op;
}

void GPU::send_bytes(int target, std::span<const std::byte> data, std::string_view text, std::optional<Size> size,
                     Tag tag) {
    port_->post(data_send(target, data, text, size, tag));
}

Handle GPU::send_bytes_async(int target, std::span<const std::byte> data, std::string_view text,
                             std::optional<Size> size, Tag tag) {
    return start(data_send(target, data, text, size, tag));
}

void GPU::receive_bytes(int source, std::span<std::byte> into, std::string_view text, std::optional<Size> size,
                        Tag tag) {
    post_or_read(data_receive(source, text, size, tag, into.size()), into);
}

Handle GPU::receive_bytes_async(int source, std::span<std::byte> into, std::string_view text, std::optional<Size> size,
                                Tag tag) {
    return start(data_receive(source, text, size, tag, into.size()), into);
}

std::size_t GPU::expect_elements(const Op& receive, std::size_t element_size) {
    const std::uint64_t bytes = port_->ask(receive).bytes;
    if (bytes % element_size != 0) {
        std::vector<std::byte> unwanted(bytes);
        port_->read(unwanted);  // otherwise the next receive would find it
        throw ProgramError(fmt::format("rank {} wanted elements of {} B from rank {}, which sent {} B", rank(),
                                       element_size, receive.peer, bytes));
    }
    return static_cast<std::size_t>(bytes / element_size);
}

void GPU::require_own(const Handle& handle, const char* what) const {
    if (handle.number < 0 || handle.number >= asynchronous_ops_) {
        throw ProgramError(fmt::format("rank {} {} for a handle that none of its operations returned", rank(), what));
    }
}

void GPU::wait(const Handle& handle) {
    require_own(handle, "waits");
    if (stream_ != Stream::main && !handle.into.empty()) {
        throw ProgramError(fmt::format("rank {} waits for data on stream {}; wait for it in the program itself", rank(),
                                       static_cast<int>(stream_)));
    }
    post_or_read({.kind = OpKind::wait, .stream = stream_, .amount = handle.number, .bytes = handle.into.size()},
                 handle.into);
}

Stream GPU::checked(Stream stream) const {
    require_main("another stream");
    const auto number = static_cast<int>(stream);
    if (number < 1 || number > most_streams) {
        throw ProgramError(fmt::format("a stream beside the program must be 1 to {}, not {}", most_streams, number));
    }
    return stream;
}

Stream GPU::channel_of_stream(int channel) const {
    const auto number = static_cast<int>(stream_);
    if (number > most_stream_with_channels) {
        throw ProgramError(
            fmt::format("rank {}: a collective of several channels has no place on stream {}, only on 0 to {}", rank(),
                        number, most_stream_with_channels));
    }
    return stream_of_channel(stream_, channel);
}

Handle GPU::record() {
    port_->post({.kind = OpKind::record, .stream = stream_});
    return {asynchronous_ops_++, {}};
}

void GPU::require_main(const char* what) const {
    if (stream_ != Stream::main) {
        throw ProgramError(
            fmt::format("rank {}: {} has no place on stream {}", rank(), what, static_cast<int>(stream_)));
    }
}

void GPU::memory(std::string_view text, Size size, int sign) {
    if (size.amount < 0) {
        throw ProgramError("memory needs a size of 0 or more");
    }
    port_->post(
        {.kind = OpKind::allocate, .measure = size.measure, .label = label(text), .amount = sign * size.amount});
}

void GPU::allocate(std::string_view text, Size size) {
    memory(text, size, 1);
}

void GPU::release(std::string_view text, Size size) {
    memory(text, size, -1);
}

Duration GPU::now() {
    return port_->ask({.kind = OpKind::now}).at.time_since_epoch();
}

void GPU::log(std::string_view text) {
    port_->post({.kind = OpKind::log, .label = port_->intern(text)});
}

void GPU::progress(double share_done) {
    if (!(share_done >= 0 && share_done <= 1)) {
        throw ProgramError(fmt::format("rank {} cannot report progress {}: it must be 0 to 1", rank(), share_done));
    }
    port_->progress(share_done);
}

void GPU::report(std::string_view name, std::span<const double> values) {
    port_->report(port_->intern(name), values);
}

Op GPU::steps_op(std::int64_t steps, Duration takes, std::string_view text) {
    if (steps < 0 || steps > INT32_MAX) {
        throw ProgramError(
            fmt::format("rank {} cannot have done {} steps: they are 0 to {}", rank(), steps, INT32_MAX));
    }
    if (takes.count() < 0) {
        throw ProgramError(fmt::format("rank {} cannot hand over its state in a negative time", rank()));
    }
    return {.kind = OpKind::checkpoint,
            .stream = stream_,
            .label = label(text),
            .peer = 0,
            .tag = static_cast<std::int32_t>(steps),
            .amount = takes.count()};
}

void GPU::step_done(std::int64_t steps) {
    require_main("the end of a step");
    port_->post(steps_op(steps, Duration{0}, {}));
}

void GPU::snapshot(std::int64_t steps, Duration takes) {
    port_->post(steps_op(steps, takes, "snapshot"));
}

void GPU::checkpoint(std::int64_t steps, std::span<const std::byte> state, Duration takes) {
    Op op = steps_op(steps, takes, "checkpoint");
    op.peer = 1;
    op.bytes = state.size();
    write(state);
    port_->post(op);
}

Op GPU::collective_op(OpKind kind, const Group& group, const Collective& what) {
    if (what.size.amount < 0) {
        throw ProgramError(fmt::format("{} needs a size of 0 or more", name_of(what.kind)));
    }
    if (!group.contains(rank())) {
        throw ProgramError(fmt::format("rank {} joins the {} of a group it is not in", rank(), name_of(what.kind)));
    }
    if (group.largest() >= world_size()) {
        throw ProgramError(fmt::format("rank {} joins the {} with rank {}: ranks are 0 to {}", rank(),
                                       name_of(what.kind), group.largest(), world_size() - 1));
    }
    if (kind == OpKind::enter && group.stands_for_another()) {
        throw ProgramError(fmt::format("rank {}: the {}'s group stands for a larger one, which has no data", rank(),
                                       name_of(what.kind)));
    }
    const bool has_root = what.root >= 0 || needs_root(what.kind);
    if (has_root && !group.contains(what.root)) {
        throw ProgramError(fmt::format("the {}'s root, rank {}, is not in its group", name_of(what.kind), what.root));
    }
    const AlgorithmConfig config = what.config.value_or(default_algorithm(what.kind));
    check_algorithm(what.kind, config, group.size());
    Op op{.kind = kind,
          .measure = what.size.measure,
          .stream = stream_,
          .label = label(what.label.empty() ? std::string_view(name_of(what.kind)) : what.label),
          .peer = what.root,
          .tag = as_tag(packed(config)),
          .amount = what.size.amount};
    op.bytes = std::bit_cast<std::uint64_t>(CollectiveWord{.group = port_->number(group),
                                                           .kind = what.kind,
                                                           .reduction = what.reduction,
                                                           .element_size = static_cast<std::uint8_t>(what.element_size),
                                                           .algorithm = config.algorithm});
    return op;
}

void GPU::collective(const Group& group, const Collective& what) {
    port_->post(collective_op(OpKind::collective, group, what));
}

BroughtData GPU::bring(std::span<const std::byte> data, bool takes) {
    write(data);
    port_->post({.kind = OpKind::bring, .amount = takes ? 1 : 0, .bytes = data.size()});
    return BroughtData{brought_++};
}

std::vector<std::span<const std::byte>> GPU::take(BroughtData brought) {
    port_->ask({.kind = OpKind::take, .amount = static_cast<std::int64_t>(brought)});
    return port_->gathered();
}

void GPU::idle_until(Duration at) {
    if (at.count() < 0) {
        throw ProgramError(fmt::format("rank {} cannot idle until before the run began", rank()));
    }
    port_->post({.kind = OpKind::idle, .amount = at.count()});
}

void GPU::issue_from(std::optional<Duration> at) {
    if (at && at->count() < 0) {
        throw ProgramError(fmt::format("rank {} cannot issue anything before the run began", rank()));
    }
    port_->post({.kind = OpKind::issue, .amount = at ? at->count() : -1});
}

void GPU::enter(const Group& group, const Collective& what) {
    port_->post(collective_op(OpKind::enter, group, what));
}

void GPU::barrier() {
    collective(world(*this), {.kind = CollectiveKind::barrier});
}

void GPU::send_in_collective(int target, std::span<const std::byte> data, std::string_view text, Size size, Tag tag) {
    Op op = message_op(OpKind::send, label(text), target, size, tag);
    op.stream = stream_;
    op.bytes = data.size();
    write(data);
    port_->post(op);
}

void GPU::receive_in_collective(int source, std::span<std::byte> into, std::string_view text, Size size, Tag tag) {
    Op op = message_op(OpKind::receive, label(text), source, size, tag);
    op.stream = stream_;
    op.bytes = into.size();
    post_or_read(op, into);
}

Op GPU::any_receive_in_collective(int source, std::string_view text, Size size, Tag tag) {
    Op op = message_op(OpKind::receive, label(text), source, size, tag);
    op.stream = stream_;
    op.bytes = any_bytes;
    return op;
}

}  // namespace sim
