#include "libsim/collectives/time/routed_messages.hpp"

#include <algorithm>

namespace sim::collectives {

Routes::Routes(const Topology& topology, const CollectiveQuestion& question)
    : topology_(&topology),
      ranks_(question.ranks),
      last_(question.ranks.size() * static_cast<std::size_t>(question.schedule.channels)) {}

const Routes::Route& Routes::of(const ChannelMessage& message) {
    Route& route =
        last_[static_cast<std::size_t>(message.channel) * ranks_.size() + static_cast<std::size_t>(message.from)];
    if (route.to != message.to) {
        route.to = message.to;
        route.links.clear();
        topology_->append_route(ranks_[static_cast<std::size_t>(message.from)],
                                ranks_[static_cast<std::size_t>(message.to)], route.links);
        route.cost = route_cost(*topology_, route.links);
    }
    return route;
}

RoutedMessages::RoutedMessages(const Topology& topology, const CollectiveQuestion& question)
    : routes_(topology, question), question_(&question), use_(topology) {}

Time RoutedMessages::send(Time& sender, const ChannelMessage& message) {
    const Routes::Route& route = routes_.of(message);
    const Time drains = later(sender, route.cost.latency);
    const Time there = later(sender, route.cost.of(bytes_of_message(*question_, message.chunks)));
    sender = there;
    holds_ = holds_ && use_.add(route.links, route.cost.slowest, drains, there);
    return there;
}

void RoutedMessages::step_ends(const std::vector<Time>& clocks) {
    use_.nothing_before(*std::min_element(clocks.begin(), clocks.end()));
}

}  // namespace sim::collectives
