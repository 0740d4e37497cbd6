// Labels keeps the labels of spans beyond the run that made them.
#pragma once

#include <string>
#include <unordered_map>

namespace sim::report {

class Labels {
public:
    // The same text in a place that stays while this object does. A label of the run stays in its place as long as the
    // run, so that its address tells it from others.
    const std::string* keep(const std::string* label) { return &kept_.try_emplace(label, *label).first->second; }

private:
    std::unordered_map<const std::string*, std::string> kept_;
};

}  // namespace sim::report
