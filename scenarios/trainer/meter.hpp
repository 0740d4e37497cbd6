// Simulated compute time, spent in as few operations as the order of things allows.
//
// Arithmetic adds what it costs; whatever others can see (a message, the end of a micro-batch) settles it first, as one
// computation under the label that stands.
#pragma once

#include "libsim/gpu.hpp"

#include <string>

namespace sim::scenarios {

class Meter {
public:
    explicit Meter(GPU& gpu) : gpu_(&gpu) {}

    // What is added from now on is called `text`.
    void label(std::string text) {
        settle();
        label_ = std::move(text);
    }
    void add(Units units) { open_ = open_ + units; }
    void settle() {
        if (open_ > Units{}) {
            gpu_->compute(label_, open_);
            open_ = {};
        }
    }

private:
    GPU* gpu_;
    std::string label_;
    Units open_;
};

}  // namespace sim::scenarios
