// The vocabulary is a table of the field's terms, each with one sentence that introduces it to a beginner.
//
// An introduction may use other terms, which are introduced before it.
#pragma once

#include "libsim/explain/explanation.hpp"

#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace sim::explain {

struct Term {
    const char* word;   // canonical form: "all-reduce"
    const char* forms;  // forms in texts, in lower case and separated by |: "all-reduce|all-reduces"
    const char* meaning;
};

std::span<const Term> vocabulary();

// Tracks the terms that a reader has met.
class Reader {
public:
    // The new terms of `text`, each after those that its introduction uses. Marks them as known.
    std::vector<const Term*> meet(std::string_view text);

private:
    void meet(std::string_view text, std::vector<const Term*>& found);

    std::set<const Term*> known_;
};

// For each section, the terms that must be introduced before it; the first list is that of the title. All lists are
// empty unless the explanation is for a beginner.
std::vector<std::vector<const Term*>> introductions(const Explanation& explanation);

}  // namespace sim::explain
