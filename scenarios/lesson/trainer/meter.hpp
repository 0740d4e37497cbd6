// A meter collects simulated compute time and spends it in as few operations as the order of events allows.
//
// Arithmetic adds its cost; an event that others can see (a message, the end of a micro-batch) first spends the sum as
// one computation under the current label.
#pragma once

#include "libsim/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace sim::lesson {

class Meter {
public:
    explicit Meter(GPU& gpu) : gpu_(&gpu) {}

    // Labels compute added from now on `text`, plus its layers if `with_layers`: "forward …, layers 2 to 3".
    void label(std::string text, bool with_layers) {
        settle();
        label_ = std::move(text);
        with_layers_ = with_layers;
    }
    void add(Units units, int layer) {
        lowest_ = open_ > Units{} ? std::min(lowest_, layer) : layer;
        highest_ = open_ > Units{} ? std::max(highest_, layer) : layer;
        open_ = open_ + units;
    }
    void settle() {
        if (open_ > Units{}) {
            gpu_->compute(with_layers_ ? label_ + layers() : label_, open_);
            open_ = {};
        }
    }

private:
    std::string layers() const {
        return lowest_ == highest_ ? fmt::format(", layer {}", lowest_)
                                   : fmt::format(", layers {} to {}", lowest_, highest_);
    }

    GPU* gpu_;
    std::string label_;
    bool with_layers_ = false;
    Units open_;
    int lowest_ = 0;
    int highest_ = 0;
};

}  // namespace sim::lesson
