// Labels keeps the labels of spans alive beyond the run that made them.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace sim::report {

class Labels {
public:
    // Returns a copy of the text that lives as long as this object. Labels are told apart by address, which is stable
    // during the run.
    const std::string* keep(const std::string* label) { return &all_->kept.try_emplace(label, *label).first->second; }
    // Keeps a text that is not a label of a run.
    const std::string* keep_text(std::string text) { return &*all_->texts.insert(std::move(text)).first; }

private:
    struct All {
        std::unordered_map<const std::string*, std::string> kept;
        std::unordered_set<std::string> texts;
    };
    // Shared by copies: the spans of a copied timeline point to the same texts.
    std::shared_ptr<All> all_ = std::make_shared<All>();
};

}  // namespace sim::report
