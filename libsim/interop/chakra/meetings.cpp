#include "libsim/interop/chakra/meetings.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace sim::chakra {

namespace {

const Node& node_at(const Traces& traces, const NodeAt& at) {
    return traces.ranks[static_cast<std::size_t>(at.rank)].nodes[at.node];
}

std::string text_of_size(const Node& node) {
    const Size size = size_of(node);
    return size.measure == Measure::units ? fmt::format("{:g} units", Units::from_billionths(size.amount).value())
                                          : fmt::format("{} bytes", size.amount);
}

// The stream used for matching a message: asynchronous messages match those of the program.
Stream meeting_stream(const Node& node) {
    const Stream stream = node.stream.value_or(Stream::main);
    return stream == Stream::own ? Stream::main : stream;
}

// Finds the messages' partners.
class Messages {
public:
    explicit Messages(const Traces& traces) : traces_(&traces) {}

    void add(const NodeAt& at) {
        const Node& node = node_at(*traces_, at);
        if (node.peer >= std::ssize(traces_->ranks)) {
            throw config::UsageError(fmt::format("{}: {}: there is no file of its peer, rank {}",
                                                 traces_->files[static_cast<std::size_t>(at.rank)], describe(node),
                                                 node.peer));
        }
        const bool sends = node.kind == NodeKind::send;
        const Size size = size_of(node);
        Ends& ends = ends_[{sends ? at.rank : node.peer, sends ? node.peer : at.rank, node.tag, size.amount,
                            size.measure, meeting_stream(node), node.in_collective}];
        (sends ? ends.sends : ends.receives).push_back(at);
    }

    void meet(std::vector<Meeting>& all) const {
        for (const auto& [key, ends] : ends_) {
            const std::size_t pairs = std::min(ends.sends.size(), ends.receives.size());
            for (std::size_t i = 0; i < pairs; ++i) {
                all.push_back({.nodes = {ends.sends[i], ends.receives[i]}});
            }
            if (ends.sends.size() != ends.receives.size()) {
                const bool sends = ends.sends.size() > pairs;
                refuse_alone(key, sends ? ends.sends[pairs] : ends.receives[pairs]);
            }
        }
    }

private:
    using Key = std::tuple<int, int, std::int32_t, std::int64_t, Measure, Stream, bool>;
    struct Ends {
        std::vector<NodeAt> sends;
        std::vector<NodeAt> receives;
    };

    [[noreturn]] void refuse_alone(const Key& key, const NodeAt& alone) const {
        const Node& node = node_at(*traces_, alone);
        const bool sends = node.kind == NodeKind::send;
        std::string text = fmt::format("{}: {} {} {} {} with tag {}, which rank {} never {}", describe(*traces_, alone),
                                       sends ? "sends" : "receives", text_of_size(node), sends ? "to" : "from",
                                       node.peer, node.tag, node.peer, sends ? "receives" : "sends");
        // The near miss: the same two ranks, with unmatched messages of another tag or size.
        for (const auto& [other, ends] : ends_) {
            const std::vector<NodeAt>& more = sends ? ends.receives : ends.sends;
            const std::size_t fewer = (sends ? ends.sends : ends.receives).size();
            if (std::get<0>(other) == std::get<0>(key) && std::get<1>(other) == std::get<1>(key) &&
                more.size() > fewer) {
                const Node& miss = node_at(*traces_, more[fewer]);
                text += fmt::format("; {} {} {} with tag {}", describe(*traces_, more[fewer]),
                                    sends ? "receives" : "sends", text_of_size(miss), miss.tag);
                break;
            }
        }
        throw MismatchError(text);
    }

    const Traces* traces_;
    std::map<Key, Ends> ends_;
};

// Finds the collectives' partners.
class Collectives {
public:
    Collectives(const Traces& traces, std::vector<Group>& groups) : traces_(&traces), groups_(&groups) {}

    void add(const NodeAt& at) {
        const Node& node = node_at(*traces_, at);
        const int group = group_of(at, node);
        const Group& members = (*groups_)[static_cast<std::size_t>(group)];
        Calls& calls = calls_[{group, meeting_stream(node)}];
        calls.resize(static_cast<std::size_t>(members.size()));
        calls[static_cast<std::size_t>(members.index_of(at.rank))].push_back(at);
    }

    void meet(std::vector<Meeting>& all) const {
        for (const auto& [key, calls] : calls_) {
            const auto fewer = [](const std::vector<NodeAt>& a, const std::vector<NodeAt>& b) {
                return a.size() < b.size();
            };
            const auto [fewest, most] = std::minmax_element(calls.begin(), calls.end(), fewer);
            if (fewest->size() != most->size()) {
                const Group& group = (*groups_)[static_cast<std::size_t>(key.first)];
                throw MismatchError(
                    fmt::format("{}: rank {} of its {} never joins it: it joins {} collectives of the group, not {}",
                                describe(*traces_, (*most)[fewest->size()]),
                                group.rank_at(static_cast<int>(fewest - calls.begin())), group.size(), fewest->size(),
                                most->size()));
            }
            for (std::size_t k = 0; k < most->size(); ++k) {
                Meeting meeting{.group = key.first};
                for (const std::vector<NodeAt>& of_member : calls) {
                    meeting.nodes.push_back(of_member[k]);
                    require_same(meeting.nodes.front(), of_member[k]);
                }
                all.push_back(std::move(meeting));
            }
        }
    }

private:
    using Calls = std::vector<std::vector<NodeAt>>;  // by member

    [[noreturn]] void refuse_member(const NodeAt& at, const std::string& why) const {
        throw config::UsageError(fmt::format("{}: {}: {}", traces_->files[static_cast<std::size_t>(at.rank)],
                                             describe(node_at(*traces_, at)), why));
    }

    std::vector<int> ranks_of(const NodeAt& at, const Node& node) const {
        for (const ProcessGroups* groups :
             {&traces_->ranks[static_cast<std::size_t>(at.rank)].groups, &traces_->groups}) {
            const auto found = groups->find(node.group);
            if (found != groups->end()) {
                return found->second.empty() ? world() : found->second;
            }
        }
        if (!node.group.empty()) {
            refuse_member(at, fmt::format("process group \"{}\" is not defined, neither by a METADATA node nor by a "
                                          "file of groups",
                                          config::shortened(node.group)));
        }
        return world();
    }

    std::vector<int> world() const {
        std::vector<int> ranks(traces_->ranks.size());
        std::iota(ranks.begin(), ranks.end(), 0);
        return ranks;
    }

    int group_of(const NodeAt& at, const Node& node) {
        const auto known = known_.find({at.rank, node.group});
        if (known != known_.end()) {
            return known->second;
        }
        std::vector<int> ranks = ranks_of(at, node);
        if (std::find(ranks.begin(), ranks.end(), at.rank) == ranks.end()) {
            refuse_member(
                at, fmt::format("rank {} is not in process group \"{}\"", at.rank, config::shortened(node.group)));
        }
        const int last = *std::max_element(ranks.begin(), ranks.end());
        if (last >= std::ssize(traces_->ranks)) {
            refuse_member(at, fmt::format("process group \"{}\" has rank {}, which has no file",
                                          config::shortened(node.group), last));
        }
        const auto [found, is_new] = numbers_.try_emplace({node.group, ranks}, static_cast<int>(groups_->size()));
        if (is_new) {
            groups_->push_back(Group::of(std::move(ranks)));
        }
        known_.emplace(std::pair(at.rank, node.group), found->second);
        return found->second;
    }

    void require_same(const NodeAt& a, const NodeAt& b) const {
        const Node& first = node_at(*traces_, a);
        const Node& second = node_at(*traces_, b);
        if (first.collective != second.collective || !(size_of(first) == size_of(second))) {
            throw MismatchError(fmt::format("{} and {} meet, but one is {} of {} and the other {} of {}",
                                            describe(*traces_, a), describe(*traces_, b), name_of(first.collective),
                                            text_of_size(first), name_of(second.collective), text_of_size(second)));
        }
    }

    const Traces* traces_;
    std::vector<Group>* groups_;
    std::map<std::pair<int, std::string>, int> known_;
    std::map<std::pair<std::string, std::vector<int>>, int> numbers_;
    std::map<std::pair<int, Stream>, Calls> calls_;
};

}  // namespace

std::string describe(const Traces& traces, const NodeAt& at) {
    return fmt::format("rank {}, {}", at.rank, describe(node_at(traces, at)));
}

Meetings meetings_of(const Traces& traces) {
    Meetings meetings;
    Messages messages(traces);
    Collectives collectives(traces, meetings.groups);
    for (std::size_t rank = 0; rank < traces.ranks.size(); ++rank) {
        const std::vector<Node>& nodes = traces.ranks[rank].nodes;
        meetings.of.emplace_back(nodes.size(), -1);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const NodeAt at{static_cast<int>(rank), static_cast<std::uint32_t>(i)};
            if (nodes[i].kind == NodeKind::collective) {
                collectives.add(at);
            } else if (nodes[i].kind == NodeKind::send || nodes[i].kind == NodeKind::receive) {
                messages.add(at);
            }
        }
    }
    messages.meet(meetings.all);
    collectives.meet(meetings.all);
    for (std::size_t number = 0; number < meetings.all.size(); ++number) {
        for (const NodeAt& at : meetings.all[number].nodes) {
            meetings.of[static_cast<std::size_t>(at.rank)][at.node] = static_cast<std::int32_t>(number);
        }
    }
    return meetings;
}

}  // namespace sim::chakra
