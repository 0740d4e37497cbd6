#include "tools/torch/table/process.hpp"

#include "libsim/error.hpp"
#include "libsim/training/machine_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace sim::torch {

namespace {

StreamName name_of(seam::Stream stream) {
    return {stream.device, stream.number};
}

HostTerms costs_of(const ProcessTerms& terms) {
    if (terms.launch) {
        return {.kernel = *terms.launch, .call = *terms.launch};
    }
    const training::OperatorTimes times(terms.machine.gpu);
    return {.kernel = terms.is_compiled ? times.compiled_launch() : times.launch(), .call = times.compiled_launch()};
}

// The communicator's number is a hash of its name and members, so that all members compute the same one, whatever other
// groups they are in.
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
      gpus_(
          gpu, terms_.home, costs_of(terms_),
          {.host_link = terms_.machine.host_link,
           .peer_link = terms_.machine.scale_up > 0 ? training::peer_rate(terms_.machine) : terms_.machine.host_link}),
      prices_(training::OperatorTimes(terms_.machine.gpu, terms_.flash_version)) {
    prices_.is_compiled = terms_.is_compiled;
}

const char* Process::label_of(std::string_view name) {
    const char*& known = within_ranges_[name.data()];
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
    hand_over(prices_.kernels(op, arguments, results), stream);
}

void Process::hand_over(std::span<const prices::Kernel> kernels, seam::Stream stream) {
    prices::Tally& tally = gpus_.capture_of(name_of(stream)) != nullptr ? captured_ : tally_;
    for (const prices::Kernel& kernel : kernels) {
        prices::Share share = kernel.share;
        share.category = is_in_optimizer ? prices::Category::optimizer : share.category;
        gpus_.launch(name_of(stream), label_of(kernel.label), kernel.time, share.category);
        tally.add(share, !is_recomputed_ && !is_in_optimizer);
    }
}

seam::Mark Process::end_step(std::int64_t optimizer) {
    const seam::Mark mark = record({terms_.home, 0});
    gpus_.on(computing(), [&] { gpus_.gpu().step_done(optimizer); });
    return mark;
}

void Process::compile(bool is_compiled, seam::Stream stream) {
    settle(stream);
    prices_.is_compiled = terms_.is_compiled = is_compiled;
    gpus_.cost_host(costs_of(terms_));
}

void Process::settle(seam::Stream stream) {
    if (prices_.is_compiled) {
        hand_over(prices_.flush(), stream);
    }
}

void Process::copy(const seam::Copy& copy, seam::Stream stream) {
    settle(stream);
    switch (copy.kind) {
        case seam::CopyKind::to_gpu:
        case seam::CopyKind::to_host: {
            // A copy from or to unpinned memory blocks the host, whatever the program requests.
            const bool holds = copy.is_blocking || !copy.is_pinned;
            return gpus_.copy_with_host(name_of(stream), copy.kind == seam::CopyKind::to_host, copy.bytes, holds);
        }
        case seam::CopyKind::between_gpus: return gpus_.copy_between_gpus(name_of(stream), copy.bytes);
        case seam::CopyKind::within_gpu:
            return gpus_.launch(
                name_of(stream), "copy",
                training::OperatorTimes(terms_.machine.gpu).memory(2.0 * static_cast<double>(copy.bytes)),
                prices::Category::copies);
    }
}

void Process::hold(int device, std::int64_t bytes, const std::string& line) {
    if (device == terms_.home) {
        gpus_.hold(bytes < 0 ? "freed" : line.empty() ? "small tensors" : kept(line), bytes);
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

std::span<const seam::Seen> Process::seen() {
    settle({terms_.home, 0});
    seen_.clear();
    for (const Gpus::Seen& each : gpus_.seen()) {
        const WatchedKernel& what = each.what;
        seen_.push_back({.name = what.label,
                         .kind = static_cast<seam::SeenKind>(what.kind),
                         .stream = {what.stream.device, what.stream.number},
                         .begin = each.begin.count(),
                         .end = each.end.count(),
                         .tag = what.tag});
    }
    return seen_;
}

void Process::begin_capture(seam::Stream stream, bool is_relaxed) {
    settle(stream);
    gpus_.begin_capture(name_of(stream), is_relaxed);
    captured_ = {};
}

std::int64_t Process::end_capture(seam::Stream stream) {
    settle(stream);
    const std::int64_t graph = gpus_.end_capture(name_of(stream));
    of_graphs_.insert_or_assign(graph, captured_);
    return graph;
}

void Process::begin_launch(std::int64_t graph, seam::Stream stream) {
    settle(stream);
    gpus_.begin_launch(graph, name_of(stream));
    tally_ += of_graphs_.at(graph);
}

std::int32_t Process::make_group(std::vector<int> members, const std::string& name) {
    std::vector<int> running;
    std::ranges::copy_if(members, std::back_inserter(running), [this](int rank) { return runs(rank); });
    std::vector<std::size_t> sources;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const int stands = runs(members[i]) ? members[i] : terms_.acting.at(static_cast<std::size_t>(members[i]));
        const auto at = std::ranges::find(running, stands);
        // If that rank is not a member, any running member will do: they all do the same.
        sources.push_back(at == running.end() ? i % running.size() : static_cast<std::size_t>(at - running.begin()));
    }
    Group group = communicator(members, name);
    if (running.size() < members.size()) {
        group = Group::of(running).standing_for(Group::of(members)).as_communicator(group.communicator());
    }
    groups_.push_back({std::move(members), name, std::move(running), std::move(sources), std::move(group)});
    return static_cast<std::int32_t>(groups_.size()) - 1;
}

std::int32_t Process::acting(std::int32_t group, std::int32_t member) const {
    const Communicator& of = groups_.at(static_cast<std::size_t>(group));
    const int rank = of.running.at(of.sources.at(static_cast<std::size_t>(member)));
    return static_cast<std::int32_t>(std::ranges::find(of.members, rank) - of.members.begin());
}

void Process::refuse(std::string why) {
    refusal_ = std::move(why);
    throw ProgramError(refusal_);
}

bool Process::runs(int rank) const {
    return terms_.running.empty() || std::ranges::binary_search(terms_.running, rank);
}

// Ranks that exchange messages do different things, as pipeline stages do. So if a group smaller than the world
// exchanges messages, none of its members can stand for another.
void Process::require_running(bool sends, int rank, const Communicator& group) {
    if (runs(rank)) {
        return;
    }
    const bool is_world = group.members.size() == terms_.acting.size();
    missed_ = is_world ? std::vector{rank} : group.members;
    refuse(fmt::format("a message {} rank {} cannot run here: rank {} is folded away; with --fold auto it runs",
                       sends ? "to" : "from", rank, rank));
}

seam::Ticket Process::meet(const Group& group, const Collective& what, seam::Stream stream,
                           std::span<const std::byte> data, Ticket ticket, bool takes) {
    settle(stream);
    const bool is_launched_by_graph = gpus_.is_in_launch();
    const StreamName place = is_launched_by_graph ? gpus_.launch_to_meeting().value() : name_of(stream);
    if (Capture* const capture = gpus_.capture_of(place)) {
        gpus_.call();
        capture->add(GraphMeeting{place});
        return 0;
    }
    gpus_.meet_on(place, gpus_.watch().is_on ? kept(std::string(what.label)) : "", [&] {
        if (group.size() > 1) {
            ticket.brought = gpus_.gpu().bring(data, takes);
        } else {
            ticket.own.emplace(data.begin(), data.end());
        }
        gpus_.gpu().collective(group, what);
    });
    // Only afterwards: the price of a collective already includes the launch of its kernel.
    if (!is_launched_by_graph) {
        gpus_.call();
    }
    if (!takes) {
        return 0;
    }
    tickets_.emplace(++last_ticket_, std::move(ticket));
    return last_ticket_;
}

seam::Ticket Process::collective(const seam::Collective& what, const std::string& line) {
    const Communicator& known = groups_.at(static_cast<std::size_t>(what.group));
    const std::string label = ranges_ + (line.empty() ? what.label : fmt::format("{} ({})", what.label, line));
    const Collective collective{.kind = static_cast<CollectiveKind>(what.kind),
                                .size = Bytes{what.bytes},
                                .root = what.root < 0 ? -1 : known.members.at(static_cast<std::size_t>(what.root)),
                                .label = label};
    if (known.members.size() > 1 && gpus_.capture_of(name_of(what.stream)) == nullptr) {
        called_.push_back({collective.kind, what.bytes, static_cast<int>(known.members.size())});
    }
    return meet(known.group, collective, what.stream, bytes_at(what.data, what.data_bytes),
                {.brought = {}, .group = static_cast<std::size_t>(what.group)}, what.takes);
}

// A message is a broadcast between two ranks, as NCCL has one kernel for both ends. They are matched by order, for each
// pair, direction and tag. Concurrent messages have streams of their own.
seam::Ticket Process::message(const seam::Message& what, int sender, int receiver, const std::string& line) {
    const Communicator& known = groups_.at(static_cast<std::size_t>(what.group));
    const int from = known.members.at(static_cast<std::size_t>(sender));
    const int to = known.members.at(static_cast<std::size_t>(receiver));
    const bool sends = from == gpus_.gpu().rank();
    require_running(sends, sends ? to : from, known);
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

int Process::rank_in(const Communicator& group, int rank) const {
    return static_cast<int>(std::ranges::find(group.members, rank) - group.members.begin());
}

void Process::send(const seam::Message& what, const std::string& line) {
    const Communicator& group = groups_.at(static_cast<std::size_t>(what.group));
    if (what.stream.device == seam::host_device) {
        announce(group, what.peer, what.tag);
    }
    message(what, rank_in(group, gpus_.gpu().rank()), what.peer, line);
}

seam::Ticket Process::receive(const seam::Message& what, const std::string& line) {
    const Communicator& group = groups_.at(static_cast<std::size_t>(what.group));
    if (what.stream.device == seam::host_device) {
        expect(group, what.peer, what.tag);
    }
    return message(what, what.peer, rank_in(group, gpus_.gpu().rank()), line);
}

// A receive from any source must find its sender before the two can meet. So each message of the host, which allows
// such receives, is announced by an empty one, and a receive also consumes the announcement. Nobody waits for the end
// of either.
Tag Process::announcement(const Communicator& group, int tag) const {
    return Tag{communicator_of(fmt::format("{}/{}", group.name, tag), group.members)};
}

void Process::announce(const Communicator& group, int receiver, int tag) {
    const int to = group.members.at(static_cast<std::size_t>(receiver));
    require_running(true, to, group);
    gpus_.on(computing(), [&] { gpus_.gpu().send_async(to, "announce", Bytes{0}, announcement(group, tag)); });
}

void Process::expect(const Communicator& group, int sender, int tag) {
    const int from = group.members.at(static_cast<std::size_t>(sender));
    require_running(false, from, group);
    gpus_.on(computing(), [&] { gpus_.gpu().receive_async(from, "announced", Bytes{0}, announcement(group, tag)); });
}

std::optional<std::int32_t> Process::sender(std::int32_t number, std::int32_t tag, bool waits) {
    const Communicator& group = groups_.at(static_cast<std::size_t>(number));
    settle({terms_.home, 0});
    std::optional<Arrival> there;
    gpus_.on(computing(), [&] {
        const Tag announced = announcement(group, tag);
        there = waits ? gpus_.gpu().probe(any_source, announced) : gpus_.gpu().probe_now(any_source, announced);
    });
    gpus_.synchronize(computing());
    return there ? std::optional(rank_in(group, there->source)) : std::nullopt;
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
    Ticket ticket = std::move(tickets_.at(number));
    tickets_.erase(number);
    taken_.clear();
    if (ticket.own) {
        own_taken_ = std::move(*ticket.own);
        taken_.assign(groups_.at(ticket.group).sources.size(),
                      {own_taken_.data(), static_cast<std::int64_t>(own_taken_.size())});
        return taken_;
    }
    const std::vector<std::span<const std::byte>> parts = gpus_.gpu().take(ticket.brought);
    const auto part = [&](std::size_t i) {
        return seam::Bytes{parts.at(i).data(), static_cast<std::int64_t>(parts[i].size())};
    };
    if (ticket.is_message) {
        taken_.push_back(part(0));  // the sender is the first of the two
        return taken_;
    }
    for (const std::size_t source : groups_.at(ticket.group).sources) {
        taken_.push_back(part(source));
    }
    return taken_;
}

}  // namespace sim::torch
