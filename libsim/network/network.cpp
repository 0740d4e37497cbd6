#include "libsim/network/network.hpp"

#include "libsim/check.hpp"

namespace sim::network {

namespace {

template <class... Models>
constexpr bool each_times_messages_in_one_way(const std::variant<Models...>* /*the rows*/) {
    return ((int{PricesMessages<Models>} + int{TimesEnds<Models>} + int{SharesLinks<Models>} == 1) && ...);
}
static_assert(each_times_messages_in_one_way(static_cast<const Network*>(nullptr)));

// What `ask` answers for the model that `network` is. Throws if the model cannot answer.
template <class Answer, class Ask>
Answer answer_of(const Network& network, const char* what, Ask ask) {
    return std::visit(
        [&](const auto& model) -> Answer {
            if constexpr (std::is_invocable_v<Ask, decltype(model)>) {
                return ask(model);
            } else {
                throw InternalError(fmt::format("ndsim is wrong: this network has no {}", what));
            }
        },
        network);
}

}  // namespace

bool prices_messages(const Network& network) {
    return std::visit([]<class Model>(const Model&) { return PricesMessages<Model>; }, network);
}

bool times_ends(const Network& network) {
    return std::visit([]<class Model>(const Model&) { return TimesEnds<Model>; }, network);
}

std::shared_ptr<const Topology> shared_topology(const Network& network) {
    return std::visit(
        []<class Model>(const Model& model) -> std::shared_ptr<const Topology> {
            if constexpr (SharesLinks<Model>) {
                return model.topology;
            } else {
                return nullptr;
            }
        },
        network);
}

bool prices_collectives(const Network& network) {
    return std::visit([]<class Model>(const Model&) { return PricesCollectives<Model>; }, network);
}

bool prices(const Network& network, Measure measure, Hop hop) {
    return std::visit(
        [&]<class Model>(const Model& model) {
            if constexpr (ChoosesMeasures<Model>) {
                return model.prices(measure, hop);
            } else {
                return measure == Measure::bytes;
            }
        },
        network);
}

NodeMap node_map(const Network& network) {
    return std::visit(
        []<class Model>(const Model& model) {
            if constexpr (PlacesRanks<Model>) {
                return NodeMap(model.ranks_per_node, model.places);
            } else if constexpr (HasNodes<Model>) {
                return NodeMap(model.ranks_per_node);
            } else {
                return NodeMap();
            }
        },
        network);
}

Duration message_time(const Network& network, Size size, Hop hop) {
    return answer_of<Duration>(network, "price of its own for a message",
                               [&](const PricesMessages auto& model) { return model.message_time(size, hop); });
}

Duration acknowledgement_time(const Network& network, Hop hop) {
    return std::visit(
        [&]<class Model>(const Model& model) {
            if constexpr (ChargesReceivers<Model>) {
                return model.acknowledgement_time(hop);
            } else {
                return Duration{0};
            }
        },
        network);
}

SendTimes send_at(const Network& network, Time begin, std::int64_t bytes) {
    return answer_of<SendTimes>(network, "processors and cards",
                                [&](const TimesEnds auto& model) { return model.send_at(begin, bytes); });
}

ReceiveTimes receive_at(const Network& network, Time begin, std::int64_t bytes) {
    return answer_of<ReceiveTimes>(network, "processors and cards",
                                   [&](const TimesEnds auto& model) { return model.receive_at(begin, bytes); });
}

bool waits_for_receiver(const Network& network, std::int64_t bytes) {
    return answer_of<bool>(network, "processors and cards",
                           [&](const TimesEnds auto& model) { return model.waits_for_receiver(bytes); });
}

Duration collective_time(const Network& network, CollectiveKind kind, std::int64_t bytes, const Footprint& members) {
    return answer_of<Duration>(network, "time for a whole collective", [&](const PricesCollectives auto& model) {
        return model.collective_time(kind, bytes, members);
    });
}

std::int64_t sent_in_collective(const Network& network, CollectiveKind kind, std::int64_t amount,
                                const Footprint& members) {
    return answer_of<std::int64_t>(network, "time for a whole collective", [&](const PricesCollectives auto& model) {
        return model.sent_in_collective(kind, amount, members);
    });
}

NodeMap::NodeMap(int ranks_per_node, const std::vector<int>& places) : ranks_per_node_(ranks_per_node) {
    for (const int place : places) {
        nodes_.push_back(ranks_per_node > 0 ? place / ranks_per_node : 0);
    }
}

}  // namespace sim::network
