// One of several equal parts.
#pragma once

namespace sim::training {

// Requires: 0 <= index < of.
struct Part {
    int index = 0;
    int of = 1;
};

}  // namespace sim::training
