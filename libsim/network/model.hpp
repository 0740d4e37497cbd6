// These concepts are all that the simulator requires of a network model; it never asks which model it has.
//
// A model is a value that times messages in one of three ways:
//   PricesMessages   a message has a price, which its sender pays, independent of other messages;
//   TimesEnds        the processor and the network card at each end are busy for a time, one message after another;
//   SharesLinks      messages are flows that share the links of a topology.
// It may define more: the measures it prices, what a receiver pays, which ranks form a node, the time of a collective
// as a whole, and the keys that set its parameters in a profile file. Each concept states the default for a model that
// omits it.
// Any type with these functions is a Network (network.hpp), wherever it is defined.
#pragma once

#include "libsim/network/footprint.hpp"
#include "libsim/op.hpp"
#include "libsim/units.hpp"

#include <concepts>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace sim::network {

// A parameter of a network model that a profile file sets by a key in its [network] table.
struct NetworkField {
    const char* key;  // "latency_seconds"
    // The destination; its type gives the unit: seconds, seconds per byte, or bytes.
    std::variant<Duration*, Pace*, Bytes*> to;
    bool required = false;  // otherwise the model's default applies
};

struct Topology;

// Whether two ranks are on one node. On a network without nodes they always are.
enum class Hop : std::uint8_t { within, across };

// The times at which the sender's processor and card are free again and the message reaches the receiver's card.
struct SendTimes {
    Time processor;
    Time card;
    Time there;
};
// The times at which the receiver's processor and card are free again; the processor has the message by then.
struct ReceiveTimes {
    Time processor;
    Time card;
};

template <class Model>
concept PricesMessages = requires(const Model& model, Size size, Hop hop) {
    { model.message_time(size, hop) } -> std::same_as<Duration>;
};

// A message that waits for its receiver is a rendezvous: its sender resumes no earlier than the receive begins.
template <class Model>
concept TimesEnds = requires(const Model& model, Time begin, std::int64_t bytes) {
    { model.send_at(begin, bytes) } -> std::same_as<SendTimes>;
    { model.receive_at(begin, bytes) } -> std::same_as<ReceiveTimes>;
    { model.waits_for_receiver(bytes) } -> std::same_as<bool>;
};

template <class Model>
concept SharesLinks = requires(const Model& model) {
    { model.topology } -> std::convertible_to<std::shared_ptr<const Topology>>;
};

template <class Model>
concept NetworkModel = PricesMessages<Model> || TimesEnds<Model> || SharesLinks<Model>;

// Without it, a model prices bytes only.
template <class Model>
concept ChoosesMeasures = requires(const Model& model, Measure measure, Hop hop) {
    { model.prices(measure, hop) } -> std::same_as<bool>;
};

// Without it, a receiver pays nothing for an arrived message (with TimesEnds: nothing beyond receive_at).
template <class Model>
concept ChargesReceivers = requires(const Model& model, Hop hop) {
    { model.acknowledgement_time(hop) } -> std::same_as<Duration>;
};

// Without it, there are no nodes: all ranks share one.
template <class Model>
concept HasNodes = requires(const Model& model) {
    { model.ranks_per_node } -> std::convertible_to<int>;
};

// Without it, rank i is at place i.
template <class Model>
concept PlacesRanks = HasNodes<Model> && requires(const Model& model) {
    { model.places } -> std::convertible_to<std::vector<int>>;
};

// Without it, a collective costs what the messages of its schedule cost.
template <class Model>
concept PricesCollectives = requires(const Model& model, CollectiveKind kind, std::int64_t amount, Footprint members) {
    { model.collective_time(kind, amount, members) } -> std::same_as<Duration>;
    { model.sent_in_collective(kind, amount, members) } -> std::same_as<std::int64_t>;
};

// Without it, a profile file can name the model by `kind` only if a dedicated reader exists there.
template <class Model>
concept ReadByFields = requires(Model& model) {
    { Model::profile_kind } -> std::convertible_to<const char*>;
    { model.fields() } -> std::same_as<std::vector<NetworkField>>;
};

}  // namespace sim::network
