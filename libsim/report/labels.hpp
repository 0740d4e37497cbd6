// Labels keeps the labels of spans beyond the run that made them.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace sim::report {

class Labels {
public:
    // The same text in a place that stays while this object does. A label of the run stays in its place as long as the
    // run, so that its address tells it from others.
    const std::string* keep(const std::string* label) { return &all_->kept.try_emplace(label, *label).first->second; }
    // A text that is no label of a run, in a place that stays.
    const std::string* keep_text(std::string text) { return &*all_->texts.insert(std::move(text)).first; }

private:
    struct All {
        std::unordered_map<const std::string*, std::string> kept;
        std::unordered_set<std::string> texts;
    };
    // Copies share it: the spans of a copied timeline point to the same places.
    std::shared_ptr<All> all_ = std::make_shared<All>();
};

}  // namespace sim::report
