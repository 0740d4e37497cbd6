// This interface is all that the simulator asks of a network, whatever its model, with the answers of models that omit
// parts.
#pragma once

#include "libsim/network/model.hpp"
#include "libsim/network/node_map.hpp"

#include <memory>
#include <utility>

namespace sim::network {

class AnyModel {
public:
    virtual ~AnyModel() = default;

    // The way the model times messages: exactly one of these three holds.
    virtual bool prices_messages() const = 0;
    virtual bool times_ends() const = 0;
    // Null unless messages share links.
    virtual std::shared_ptr<const Topology> shared_topology() const = 0;

    // Whether the model prices collectives as a whole.
    virtual bool prices_collectives() const = 0;
    virtual bool prices(Measure measure, Hop hop) const = 0;
    virtual NodeMap node_map() const = 0;

    // Requires: prices_messages(), and the network prices what `size` counts.
    virtual Duration message_time(Size size, Hop hop) const = 0;
    // The time that the receiver of any message spends after its arrival; 0 if that depends on the message.
    virtual Duration acknowledgement_time(Hop hop) const = 0;

    // Require: times_ends().
    virtual SendTimes send_at(Time begin, std::int64_t bytes) const = 0;
    virtual ReceiveTimes receive_at(Time begin, std::int64_t bytes) const = 0;
    virtual bool waits_for_receiver(std::int64_t bytes) const = 0;

    // Require: prices_collectives(). The second returns what each member sends, on average, in the measure of `amount`.
    virtual Duration collective_time(CollectiveKind kind, std::int64_t bytes, const Footprint& members) const = 0;
    virtual std::int64_t sent_in_collective(CollectiveKind kind, std::int64_t amount,
                                            const Footprint& members) const = 0;
};

// Throws InternalError: the simulator has asked a network for something that its model does not have.
[[noreturn]] void refuse_question(const char* what);

template <NetworkModel Model>
class ModelOf final : public AnyModel {
    static_assert(int{PricesMessages<Model>} + int{TimesEnds<Model>} + int{SharesLinks<Model>} == 1,
                  "a network model times messages in exactly one way");

public:
    explicit ModelOf(Model model) : model_(std::move(model)) {}
    const Model& model() const { return model_; }

    bool prices_messages() const override { return PricesMessages<Model>; }
    bool times_ends() const override { return TimesEnds<Model>; }
    std::shared_ptr<const Topology> shared_topology() const override {
        if constexpr (SharesLinks<Model>) {
            return model_.topology;
        } else {
            return nullptr;
        }
    }

    bool prices_collectives() const override { return PricesCollectives<Model>; }
    bool prices(Measure measure, Hop hop) const override {
        if constexpr (ChoosesMeasures<Model>) {
            return model_.prices(measure, hop);
        } else {
            return measure == Measure::bytes;
        }
    }
    NodeMap node_map() const override {
        if constexpr (PlacesRanks<Model>) {
            return NodeMap(model_.ranks_per_node, model_.places);
        } else if constexpr (HasNodes<Model>) {
            return NodeMap(model_.ranks_per_node);
        } else {
            return NodeMap();
        }
    }

    Duration message_time(Size size, Hop hop) const override {
        if constexpr (PricesMessages<Model>) {
            return model_.message_time(size, hop);
        } else {
            refuse_question("price of its own for a message");
        }
    }
    Duration acknowledgement_time(Hop hop) const override {
        if constexpr (ChargesReceivers<Model>) {
            return model_.acknowledgement_time(hop);
        } else {
            return Duration{0};
        }
    }

    SendTimes send_at(Time begin, std::int64_t bytes) const override {
        if constexpr (TimesEnds<Model>) {
            return model_.send_at(begin, bytes);
        } else {
            refuse_question("processors and cards");
        }
    }
    ReceiveTimes receive_at(Time begin, std::int64_t bytes) const override {
        if constexpr (TimesEnds<Model>) {
            return model_.receive_at(begin, bytes);
        } else {
            refuse_question("processors and cards");
        }
    }
    bool waits_for_receiver(std::int64_t bytes) const override {
        if constexpr (TimesEnds<Model>) {
            return model_.waits_for_receiver(bytes);
        } else {
            refuse_question("processors and cards");
        }
    }

    Duration collective_time(CollectiveKind kind, std::int64_t bytes, const Footprint& members) const override {
        if constexpr (PricesCollectives<Model>) {
            return model_.collective_time(kind, bytes, members);
        } else {
            refuse_question("time for a whole collective");
        }
    }
    std::int64_t sent_in_collective(CollectiveKind kind, std::int64_t amount, const Footprint& members) const override {
        if constexpr (PricesCollectives<Model>) {
            return model_.sent_in_collective(kind, amount, members);
        } else {
            refuse_question("bytes of a whole collective");
        }
    }

private:
    Model model_;
};

}  // namespace sim::network
