// Label letters shorten the labels of computations to a letter and a number: "forward of micro-batch 3" is F3, if no
// other work of the run begins with an F. Collectives inside computations get the letter of their kind: T for tensor
// parallelism.
#pragma once

#include "libsim/report/timeline.hpp"

#include <map>
#include <string>
#include <unordered_map>

namespace sim::report {

class LabelLetters {
public:
    // Cost: O(spans).
    explicit LabelLetters(const Timeline& timeline);

    // "F3"; empty if no letter is unique to this label's work.
    const std::string& short_form(const trace::Span& span) const;
    // The part of the labels before their number: "forward of micro-batch".
    const std::string& meaning(char letter) const { return meanings_.at(letter); }

private:
    std::unordered_map<const std::string*, const std::string*>
        labels_;  // label to the label whose short form it shares
    std::unordered_map<const std::string*, std::string> short_forms_;
    std::map<char, std::string> meanings_;  // empty: shared by several
};

}  // namespace sim::report
