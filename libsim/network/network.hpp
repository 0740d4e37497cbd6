// A network holds any network model (model.hpp) as a value, and answers the simulator's questions. A program's own
// models are networks too: no list of models exists.
//
//   Network network = LogGP{…};
//   network->prices_messages()
//
// docs/network.md states which side pays which cost, and when.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/any_model.hpp"

#include <memory>
#include <utility>

namespace sim::network {

class Network {
public:
    Network();  // Uniform{}, which prices nothing
    template <NetworkModel Model>
    Network(Model model) : model_(std::make_shared<const ModelOf<Model>>(std::move(model))) {}

    const AnyModel* operator->() const { return model_.get(); }
    // The model; null if it has another type.
    template <NetworkModel Model>
    const Model* as() const {
        const auto* const of_this_type = dynamic_cast<const ModelOf<Model>*>(model_.get());
        return of_this_type == nullptr ? nullptr : &of_this_type->model();
    }

private:
    std::shared_ptr<const AnyModel> model_;  // immutable, so copies share it
};

}  // namespace sim::network
