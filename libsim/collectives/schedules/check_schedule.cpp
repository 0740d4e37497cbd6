// The check rehearses the schedule with sets of contributions in place of data: whatever is added twice, lost, or left
// in the wrong place shows, for any data. A hash of the order of addition stands for the bits of a sum.
#include "libsim/collectives/schedules/check_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <vector>

namespace sim::collectives {

namespace {

// One member's chunk of the input.
struct Contribution {
    int member;
    int chunk;
    friend auto operator<=>(const Contribution&, const Contribution&) = default;
};

// One member's data for one chunk: its contributions, sorted, and a hash of the order of addition.
struct Known {
    std::vector<Contribution> of;
    std::uint64_t order = 0;
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = (std::min(a, b) * 0x9e3779b97f4a7c15U) ^ std::max(a, b);  // addition is commutative
    return (sum ^ sum >> 29U) * 0xff51afd7ed558ccdU;
}

struct Sent {
    int step;
    std::vector<Known> chunks;
};

[[noreturn]] void throw_end(const std::string& what) {
    throw ScheduleError(what, -1, -1, -1);
}

class Rehearsal {
public:
    explicit Rehearsal(const Schedule& schedule);

    // A step of a channel: all members send, then all receive.
    void step(int channel, int number);
    void check_all_received(int channel) const;
    void check_end() const;
    Holdings holdings() const;

private:
    using Memory = std::vector<Known>;  // of one member, by chunk
    struct At {
        int channel;
        int step;
        int member;
    };

    [[noreturn]] static void wrong(const At& at, const std::string& what) {
        throw ScheduleError(fmt::format("channel {}, step {}: member {} {}", at.channel, at.step, at.member, what),
                            at.channel, at.step, at.member);
    }
    void check_set(const At& at, const ChunkSet& set, int peer) const;
    void send(const At& at, const Step& step);
    void receive(const At& at, const Step& step);
    void reduce(const At& at, int chunk, const Known& came);
    std::vector<Contribution> expected(int member, int chunk) const;
    bool matters(int member, int chunk) const;
    int place_of(int member, int chunk) const;

    const Schedule& schedule_;
    std::vector<Memory> input_;
    std::vector<Memory> memory_;
    std::map<std::tuple<int, int, int>, std::deque<Sent>> under_way_;  // by channel, sender and receiver
};

Rehearsal::Rehearsal(const Schedule& schedule) : schedule_(schedule) {
    for (int member = 0; member < schedule.members; ++member) {
        Memory& own = input_.emplace_back();
        for (int chunk = 0; chunk < schedule.chunks; ++chunk) {
            own.push_back(
                {{{member, chunk}}, mixed(static_cast<std::uint64_t>(member) + 1, static_cast<std::uint64_t>(chunk))});
        }
    }
    memory_ = input_;
}

void Rehearsal::check_set(const At& at, const ChunkSet& set, int peer) const {
    if (peer >= schedule_.members || peer == at.member) {
        wrong(at, fmt::format("talks to {}, which is not another member of {}", peer, schedule_.members));
    }
    const bool in_range = set.first >= 0 && set.first < schedule_.chunks && set.period >= 1 && set.run >= 1 &&
                          set.span >= 1 && set.span <= schedule_.chunks;
    if (!in_range) {
        wrong(at, fmt::format("names chunks from {} on, of {}", set.first, schedule_.chunks));
    }
    if (schedule_.one_chunk() && set.count() != 1) {
        wrong(at, fmt::format("moves {} chunks where every message is one", set.count()));
    }
}

void Rehearsal::send(const At& at, const Step& step) {
    check_set(at, step.send, step.to);
    const Memory& from = (schedule_.sends == SentData::input ? input_ : memory_)[static_cast<std::size_t>(at.member)];
    Sent sent{at.step, {}};
    for_each_chunk(step.send, schedule_.chunks,
                   [&](int chunk) { sent.chunks.push_back(from[static_cast<std::size_t>(chunk)]); });
    under_way_[{at.channel, at.member, step.to}].push_back(std::move(sent));
}

void Rehearsal::receive(const At& at, const Step& step) {
    check_set(at, step.receive, step.from);
    std::deque<Sent>& from = under_way_[{at.channel, step.from, at.member}];
    if (from.empty()) {
        wrong(at, fmt::format("receives from {}, which has not sent", step.from));
    }
    const Sent sent = std::move(from.front());
    from.pop_front();
    if (schedule_.synchrony <= Synchrony::same_step && sent.step != at.step) {
        wrong(at, fmt::format("receives what {} sent in step {}", step.from, sent.step));
    }
    const auto count = static_cast<std::size_t>(step.receive.count());
    if (sent.chunks.size() != count) {
        wrong(at, fmt::format("receives {} chunks from {}, which sent {} in step {}", count, step.from,
                              sent.chunks.size(), sent.step));
    }
    std::size_t next = 0;
    for_each_chunk(step.receive, schedule_.chunks, [&](int chunk) {
        const Known& came = sent.chunks[next++];
        if (step.reduce) {
            reduce(at, chunk, came);
        } else {
            memory_[static_cast<std::size_t>(at.member)][static_cast<std::size_t>(chunk)] = came;
        }
    });
}

void Rehearsal::reduce(const At& at, int chunk, const Known& came) {
    Known& here = memory_[static_cast<std::size_t>(at.member)][static_cast<std::size_t>(chunk)];
    std::vector<Contribution> both;
    std::merge(here.of.begin(), here.of.end(), came.of.begin(), came.of.end(), std::back_inserter(both));
    if (const auto twice = std::adjacent_find(both.begin(), both.end()); twice != both.end()) {
        wrong(at, fmt::format("adds up chunk {} of member {} twice", twice->chunk, twice->member));
    }
    if (both.front().chunk != both.back().chunk) {
        wrong(at, fmt::format("adds up chunks {} and {}", both.front().chunk, both.back().chunk));
    }
    here.of = std::move(both);
    // Whole inputs are summed at the end, in member order.
    here.order =
        schedule_.sends == SentData::input && schedule_.chunks == 1 ? here.of.size() : mixed(here.order, came.order);
}

void Rehearsal::step(int channel, int number) {
    for (int member = 0; member < schedule_.members; ++member) {
        if (const Step step = schedule_.step(channel, member, number); step.to >= 0) {
            send({channel, number, member}, step);
        }
    }
    for (int member = 0; member < schedule_.members; ++member) {
        if (const Step step = schedule_.step(channel, member, number); step.from >= 0) {
            receive({channel, number, member}, step);
        }
    }
}

void Rehearsal::check_all_received(int channel) const {
    for (const auto& [way, sent] : under_way_) {
        const auto& [of_channel, sender, receiver] = way;
        if (of_channel == channel && !sent.empty()) {
            wrong({channel, sent.front().step, sender}, fmt::format("sends to {}, which never receives it", receiver));
        }
    }
}

Holdings Rehearsal::holdings() const {
    Holdings all;
    for (const Memory& of_member : memory_) {
        std::vector<Held>& chunks = all.emplace_back();
        for (const Known& known : of_member) {
            Held& held = chunks.emplace_back(Held{known.of.front().chunk, {}});
            for (const Contribution& one : known.of) {
                held.of.push_back(one.member);
            }
        }
    }
    return all;
}

// Whether a member's final data for a chunk is part of the result.
bool Rehearsal::matters(int member, int chunk) const {
    switch (schedule_.kind) {
        case CollectiveKind::barrier: return false;
        case CollectiveKind::reduce:
        case CollectiveKind::gather: return member == schedule_.root;
        case CollectiveKind::reduce_scatter:
        case CollectiveKind::scatter: return chunk / schedule_.parts == member;
        default: return true;
    }
}

std::vector<Contribution> Rehearsal::expected(int member, int chunk) const {
    const int owner = chunk / schedule_.parts;
    std::vector<Contribution> all;
    switch (schedule_.kind) {
        case CollectiveKind::broadcast:
        case CollectiveKind::scatter: return {{schedule_.root, chunk}};
        case CollectiveKind::all_gather:
        case CollectiveKind::gather: return {{owner, chunk}};
        case CollectiveKind::all_to_all: return {{owner, member * schedule_.parts + chunk % schedule_.parts}};
        default: break;
    }
    for (int other = 0; other < schedule_.members; ++other) {
        all.push_back({other, chunk});
    }
    return all;
}

// The position of a chunk of the result.
int Rehearsal::place_of(int member, int chunk) const {
    const int block = chunk / schedule_.parts;
    const int blocks = schedule_.blocks();
    return schedule_.result == BlockOrder::mirrored
               ? (2 * member - block + blocks) % blocks * schedule_.parts + chunk % schedule_.parts
               : chunk;
}

void Rehearsal::check_end() const {
    for (int member = 0; member < schedule_.members; ++member) {
        for (int chunk = 0; chunk < schedule_.chunks; ++chunk) {
            if (!matters(member, chunk)) {
                continue;
            }
            const auto place = static_cast<std::size_t>(place_of(member, chunk));
            const Known& known = memory_[static_cast<std::size_t>(member)][place];
            const std::vector<Contribution> wanted = expected(member, chunk);
            for (const Contribution& one : wanted) {
                if (!std::binary_search(known.of.begin(), known.of.end(), one)) {
                    throw_end(fmt::format("in the end chunk {} of member {} lacks chunk {} of member {}", chunk, member,
                                          one.chunk, one.member));
                }
            }
            if (known.of.size() != wanted.size()) {
                throw_end(
                    fmt::format("in the end chunk {} of member {} holds what does not belong there", chunk, member));
            }
            if (schedule_.kind == CollectiveKind::all_reduce && known.order != memory_[0][place].order) {
                throw_end(fmt::format("members 0 and {} add up chunk {} in different orders", member, chunk));
            }
        }
    }
}

// Whether a channel's messages carry information from every member to every other.
bool everybody_hears_of_all(const Schedule& schedule, int channel) {
    const auto n = static_cast<std::size_t>(schedule.members);
    std::vector<std::vector<bool>> heard(n, std::vector<bool>(n, false));
    for (std::size_t member = 0; member < n; ++member) {
        heard[member][member] = true;
    }
    for (int at = 0; at < schedule.steps; ++at) {
        // A message of this step carries only what its sender had heard before the step.
        const std::vector<std::vector<bool>> before = heard;
        for (int member = 0; member < schedule.members; ++member) {
            if (const int from = schedule.step(channel, member, at).from; from >= 0) {
                std::vector<bool>& here = heard[static_cast<std::size_t>(member)];
                const std::vector<bool>& there = before[static_cast<std::size_t>(from)];
                std::transform(here.begin(), here.end(), there.begin(), here.begin(), std::logical_or<>());
            }
        }
    }
    return std::all_of(heard.begin(), heard.end(), [](const std::vector<bool>& member) {
        return std::find(member.begin(), member.end(), false) == member.end();
    });
}

bool all_do_alike(const Schedule& schedule, int channel) {
    for (int at = 0; at < schedule.steps; ++at) {
        const Step first = schedule.step(channel, 0, at);
        for (int member = 0; member < schedule.members; ++member) {
            const Step step = schedule.step(channel, member, at);
            if (step.to < 0 || step.from < 0 || step.send.count() != first.send.count() ||
                step.receive.count() != first.send.count()) {
                return false;
            }
        }
    }
    return true;
}

// Whether every member sends one chunk to the same neighbour in every step, around all members.
bool is_ring(const Schedule& schedule, int channel) {
    int member = 0;
    int places = 0;
    do {
        const int to = schedule.step(channel, member, 0).to;
        for (int at = 0; at < schedule.steps; ++at) {
            const Step step = schedule.step(channel, member, at);
            if (step.to != to || step.send.count() != 1) {
                return false;
            }
        }
        member = to;
        ++places;
    } while (member > 0 && places < schedule.members);
    return member == 0 && places == schedule.members;
}

template <class Holds>
bool in_all_channels(const Schedule& schedule, Holds holds) {
    for (int channel = 0; channel < schedule.channels; ++channel) {
        if (!holds(schedule, channel)) {
            return false;
        }
    }
    return true;
}

const char* complaint_about(Synchrony synchrony) {
    switch (synchrony) {
        case Synchrony::ring: return "its members do not go around a ring";
        case Synchrony::lock_step: return "its members are not in lock step";
        default: return "a message is received in a later step";
    }
}

}  // namespace

Synchrony synchrony_of(const Schedule& schedule) {
    if (schedule.synchrony == Synchrony::later_step || !in_all_channels(schedule, all_do_alike) ||
        !in_all_channels(schedule, everybody_hears_of_all)) {
        return std::max(schedule.synchrony, Synchrony::same_step);
    }
    return schedule.steps > 0 && in_all_channels(schedule, is_ring) ? Synchrony::ring : Synchrony::lock_step;
}

void check_schedule(const Schedule& schedule) {
    if (has_blocks(schedule.kind) && schedule.blocks() != schedule.members) {
        throw_end(fmt::format("{} of {} members is of as many blocks, not {}", name_of(schedule.kind), schedule.members,
                              schedule.blocks()));
    }
    Rehearsal rehearsal(schedule);
    for (int channel = 0; channel < schedule.channels; ++channel) {
        for (int step = 0; step < schedule.steps; ++step) {
            rehearsal.step(channel, step);
        }
        rehearsal.check_all_received(channel);
    }
    rehearsal.check_end();
    if (schedule.kind == CollectiveKind::barrier && !everybody_hears_of_all(schedule, 0)) {
        throw_end("in the end a member has not heard of all others");
    }
    if (schedule.steps > 0 && synchrony_of(schedule) > schedule.synchrony) {
        throw_end(complaint_about(schedule.synchrony));
    }
}

std::vector<Holdings> holdings_of_steps(const Schedule& schedule) {
    Rehearsal rehearsal(schedule);
    std::vector<Holdings> all{rehearsal.holdings()};
    for (int step = 0; step < schedule.steps; ++step) {
        for (int channel = 0; channel < schedule.channels; ++channel) {
            rehearsal.step(channel, step);
        }
        all.push_back(rehearsal.holdings());
    }
    return all;
}

}  // namespace sim::collectives
