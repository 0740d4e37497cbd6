// These members of GPU query messages that have arrived and operations that have ended.
#include "libsim/error.hpp"
#include "libsim/gpu.hpp"

#include <fmt/format.h>

namespace sim {

bool GPU::test(const Handle& handle) {
    require_main("asking for the end of an operation");
    require_own(handle, "asks");
    if (port_->ask({.kind = OpKind::test, .amount = handle.number}).bytes == 0) {
        return false;
    }
    Arrival ended;
    port_->read(std::as_writable_bytes(std::span(&ended, 1)));
    wait(handle);
    return true;
}

Duration GPU::end_of(const Handle& handle) {
    require_main("asking for the end of an operation");
    require_own(handle, "asks");
    port_->ask({.kind = OpKind::test, .tag = static_cast<std::int32_t>(TestOf::end_of_one), .amount = handle.number});
    Time end;
    port_->read(std::as_writable_bytes(std::span(&end, 1)));
    return end.time_since_epoch();
}

bool GPU::ended_by(const Handle& handle, Duration at) {
    require_main("asking for the end of an operation");
    require_own(handle, "asks");
    if (at.count() < 0) {
        throw ProgramError(fmt::format("rank {} cannot ask what had ended before the run began", rank()));
    }
    const Port::Answer answer = port_->ask({.kind = OpKind::test,
                                            .tag = static_cast<std::int32_t>(TestOf::one_by),
                                            .amount = handle.number,
                                            .bytes = static_cast<std::uint64_t>(at.count())});
    if (answer.bytes == 0) {
        return false;
    }
    Arrival ended;
    port_->read(std::as_writable_bytes(std::span(&ended, 1)));
    return true;
}

void GPU::forget(const Handle& handle) {
    require_own(handle, "has no use");
    port_->post({.kind = OpKind::forget, .amount = handle.number});
}

// Only the last one is an observation, so the others wait for no answer.
std::size_t GPU::wait_any(std::span<const Handle> handles) {
    require_main("waiting for the first of several operations");
    if (handles.empty()) {
        throw ProgramError(fmt::format("rank {} waits for the first of no operations", rank()));
    }
    for (const Handle& handle : handles) {
        require_own(handle, "waits");
    }
    for (const Handle& handle : handles.first(handles.size() - 1)) {
        port_->post({.kind = OpKind::test, .tag = static_cast<std::int32_t>(TestOf::several), .amount = handle.number});
    }
    port_->ask({.kind = OpKind::test,
                .tag = static_cast<std::int32_t>(TestOf::last_of_several),
                .amount = handles.back().number});
    Arrival first;
    port_->read(std::as_writable_bytes(std::span(&first, 1)));
    const auto index = static_cast<std::size_t>(first.bytes);
    wait(handles[index]);
    return index;
}

std::optional<Arrival> GPU::look(int source, Tag tag, std::int64_t waits_picoseconds) {
    require_main("asking for messages");
    Op op{.kind = OpKind::look, .peer = any_source, .tag = static_cast<std::int32_t>(tag), .amount = waits_picoseconds};
    if (source != any_source) {
        op.peer = message(OpKind::receive, source, {}, Bytes{0}, tag).peer;
    } else if (op.tag < 0) {
        throw ProgramError(fmt::format("a tag must be 0 or more, not {}", op.tag));
    }
    if (port_->ask(op).bytes == 0) {
        return std::nullopt;
    }
    Arrival found;
    port_->read(std::as_writable_bytes(std::span(&found, 1)));
    return found;
}

Arrival GPU::probe(int source, Tag tag) {
    return look(source, tag, until_there).value_or(Arrival{});
}

std::optional<Arrival> GPU::probe_for(Duration timeout, int source, Tag tag) {
    if (timeout.count() < 0) {
        throw ProgramError(fmt::format("rank {} cannot wait for a negative time", rank()));
    }
    return look(source, tag, timeout.count());
}

std::optional<Arrival> GPU::probe_now(int source, Tag tag) {
    return look(source, tag, 0);
}

}  // namespace sim
