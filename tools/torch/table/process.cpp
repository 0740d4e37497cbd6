#include "tools/torch/table/process.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace sim::torch {

namespace {

StreamName name_of(seam::Stream stream) {
    return {stream.device, stream.number};
}

Duration launch_of(const ProcessTerms& terms) {
    return terms.launch.value_or(training::OperatorTimes(terms.machine.gpu).launch());
}

// Members of a group number its communicator alike, whatever others they are in: by its name and who they are.
int communicator_of(const std::string& name, const std::vector<int>& members) {
    std::uint64_t hash = 14695981039346656037ULL;
    const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 1099511628211ULL; };
    for (const char letter : name) {
        mix(static_cast<unsigned char>(letter));
    }
    for (const int member : members) {
        mix(static_cast<std::uint64_t>(member) + 256);
    }
    constexpr std::uint64_t numbers = (1ULL << 31U) - 1;
    return static_cast<int>(1 + (hash ^ (hash >> 32U)) % (numbers - 1));
}

Group communicator(std::vector<int> members, const std::string& name) {
    const int number = communicator_of(name, members);
    return Group::of(std::move(members)).as_communicator(number);
}

std::span<const std::byte> bytes_at(const void* data, std::int64_t count) {
    return {static_cast<const std::byte*>(data), static_cast<std::size_t>(count)};
}

}  // namespace

Process::Process(GPU& gpu, ProcessTerms terms)
    : terms_(std::move(terms)),
      gpus_(gpu, terms_.home, launch_of(terms_),
            {.host_link = terms_.machine.host_link,
             .peer_link = terms_.machine.scale_up > 0 ? terms_.machine.scale_up : terms_.machine.host_link}),
      prices_(training::OperatorTimes(terms_.machine.gpu, terms_.flash_version)) {
    prices_.is_compiled = terms_.is_compiled;
}

const char* Process::label_of(std::string_view name) {
    if (ranges_.empty()) {
        return kept(std::string(name));
    }
    const char*& known = within_ranges_[name];
    if (known == nullptr) {
        known = kept(ranges_ + std::string(name));
    }
    return known;
}

void Process::pop_range() {
    const std::size_t end = ranges_.size() < 2 ? std::string::npos : ranges_.rfind('/', ranges_.size() - 2);
    ranges_.erase(end == std::string::npos ? 0 : end + 1);
    within_ranges_.clear();
}

void Process::launch(std::int32_t op, const seam::Value* arguments, std::span<const seam::Value> results,
                     seam::Stream stream) {
    const std::span<const prices::Kernel> kernels = prices_.kernels(op, arguments, results);
    if (kernels.empty()) {
        gpus_.host_passes(prices_.view());
    }
    for (const prices::Kernel& kernel : kernels) {
        gpus_.launch(name_of(stream), label_of(kernel.label), kernel.time);
    }
}

void Process::settle(seam::Stream stream) {
    if (prices_.is_compiled) {
        for (const prices::Kernel& kernel : prices_.flush()) {
            gpus_.launch(name_of(stream), label_of(kernel.label), kernel.time);
        }
    }
}

void Process::copy(const seam::Copy& copy, seam::Stream stream) {
    settle(stream);
    switch (copy.kind) {
        case seam::CopyKind::to_gpu:
        case seam::CopyKind::to_host: {
            // A copy from or to memory that is not pinned holds the host, whatever the program says.
            const bool holds = copy.is_blocking || !copy.is_pinned;
            return gpus_.copy_with_host(name_of(stream), copy.kind == seam::CopyKind::to_host, copy.bytes, holds);
        }
        case seam::CopyKind::between_gpus: return gpus_.copy_between_gpus(name_of(stream), copy.bytes);
        case seam::CopyKind::within_gpu:
            return gpus_.launch(
                name_of(stream), "copy",
                training::OperatorTimes(terms_.machine.gpu).memory(2.0 * static_cast<double>(copy.bytes)));
    }
}

void Process::spin(Duration time, seam::Stream stream) {
    settle(stream);
    gpus_.launch(name_of(stream), label_of("sleep"), time);
}

seam::Mark Process::record(seam::Stream stream) {
    settle(stream);
    marks_.emplace(++last_mark_, gpus_.record(name_of(stream)));
    return last_mark_;
}

void Process::forget(seam::Mark number) {
    if (const auto at = marks_.find(number); at != marks_.end()) {
        gpus_.forget(at->second);
        marks_.erase(at);
    }
}

std::int32_t Process::make_group(std::vector<int> members, const std::string& name) {
    Group group = communicator(members, name);
    groups_.push_back({std::move(members), name, std::move(group)});
    return static_cast<std::int32_t>(groups_.size()) - 1;
}

seam::Ticket Process::meet(const Group& group, const Collective& what, seam::Stream stream,
                           std::span<const std::byte> data, Ticket ticket, bool takes) {
    settle(stream);
    gpus_.launch_nothing();
    gpus_.on(name_of(stream), [&] {
        ticket.brought = gpus_.gpu().bring(data, takes);
        gpus_.gpu().collective(group, what);
    });
    if (!takes) {
        return 0;
    }
    tickets_.emplace(++last_ticket_, ticket);
    return last_ticket_;
}

seam::Ticket Process::collective(const seam::Collective& what, const std::string& line) {
    const Communicator& known = groups_.at(static_cast<std::size_t>(what.group));
    const std::string label = ranges_ + (line.empty() ? what.label : fmt::format("{} ({})", what.label, line));
    const Collective collective{.kind = static_cast<CollectiveKind>(what.kind),
                                .size = Bytes{what.bytes},
                                .root = what.root < 0 ? -1 : known.members.at(static_cast<std::size_t>(what.root)),
                                .label = label};
    return meet(known.group, collective, what.stream, bytes_at(what.data, what.data_bytes), {}, what.takes);
}

// A message is a broadcast of two, as NCCL has one kernel for both its ends: they are matched by order, for each pair,
// direction and tag. Messages side by side have streams of their own.
seam::Ticket Process::message(const seam::Message& what, int sender, int receiver, const std::string& line) {
    const Communicator& known = groups_.at(static_cast<std::size_t>(what.group));
    const int from = known.members.at(static_cast<std::size_t>(sender));
    const int to = known.members.at(static_cast<std::size_t>(receiver));
    const bool sends = from == gpus_.gpu().rank();
    seam::Stream stream = what.stream;
    if (side_by_side_) {
        stream = {what.stream.device, -1 - static_cast<std::int64_t>(side_by_side_->streams.size())};
        const seam::Mark here = record(what.stream);
        gpus_.wait(name_of(stream), mark(here));
        forget(here);
        side_by_side_->streams.emplace_back(stream, what.stream);
    }
    const Group pair = communicator({from, to}, fmt::format("{}/{}>{}/{}", known.name, from, to, what.tag));
    const std::string peer = fmt::format("{} {} {}", what.label, sends ? "to" : "from", sends ? to : from);
    const std::string label = ranges_ + (line.empty() ? peer : fmt::format("{} ({})", peer, line));
    const Collective collective{
        .kind = CollectiveKind::broadcast, .size = Bytes{what.bytes}, .root = from, .label = label};
    return meet(pair, collective, stream, bytes_at(what.data, what.data_bytes),
                {.brought = {}, .source = sender, .is_message = true}, !sends);
}

void Process::send(const seam::Message& what, const std::string& line) {
    const std::vector<int>& members = groups_.at(static_cast<std::size_t>(what.group)).members;
    const auto me = std::ranges::find(members, gpus_.gpu().rank()) - members.begin();
    message(what, static_cast<int>(me), what.peer, line);
}

seam::Ticket Process::receive(const seam::Message& what, const std::string& line) {
    if (what.peer < 0) {
        throw ProgramError("ndsim does not simulate receiving from any rank: name the rank that sends");
    }
    const std::vector<int>& members = groups_.at(static_cast<std::size_t>(what.group)).members;
    const auto me = std::ranges::find(members, gpus_.gpu().rank()) - members.begin();
    return message(what, what.peer, static_cast<int>(me), line);
}

void Process::end_messages() {
    const SideBySide all = *std::exchange(side_by_side_, std::nullopt);
    for (const auto& [theirs, whose] : all.streams) {
        const seam::Mark there = record(theirs);
        gpus_.wait(name_of(whose), mark(there));
        forget(there);
    }
}

std::span<const seam::Bytes> Process::take(seam::Ticket number) {
    const Ticket ticket = tickets_.at(number);
    tickets_.erase(number);
    taken_.clear();
    for (const std::span<const std::byte> bytes : gpus_.gpu().take(ticket.brought)) {
        taken_.push_back({bytes.data(), static_cast<std::int64_t>(bytes.size())});
    }
    if (ticket.is_message) {
        taken_.erase(taken_.begin() + 1, taken_.end());  // the sender is the first of the two
    }
    return taken_;
}

}  // namespace sim::torch
