// The vocabulary is a table of the field's terms, each with one sentence that introduces it to a beginner.
//
// An introduction may use other terms: they are introduced before it.
#pragma once

#include "libsim/explain/explanation.hpp"

#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace sim::explain {

struct Term {
    const char* word;   // as it is introduced: "all-reduce"
    const char* forms;  // as it stands in texts, in lower case and separated by |: "all-reduce|all-reduces"
    const char* meaning;
};

std::span<const Term> vocabulary();

// Remembers which terms a reader has met.
class Reader {
public:
    // The terms of `text` that are new, each behind those that its introduction uses. From now on they are known.
    std::vector<const Term*> meet(std::string_view text);

private:
    void meet(std::string_view text, std::vector<const Term*>& found);

    std::set<const Term*> known_;
};

// For each section, the terms that have to be introduced before it; the first list is that of the title. Nothing but
// empty lists unless the explanation is for a beginner.
std::vector<std::vector<const Term*>> introductions(const Explanation& explanation);

}  // namespace sim::explain
