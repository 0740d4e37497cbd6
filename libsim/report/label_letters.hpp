// Label letters shorten the labels of computations to a letter and a number: "forward of micro-batch 3" is F3, where no
// other work of the run begins with an F. So do collectives inside computations, by their sort: T of tensor
// parallelism.
#pragma once

#include "libsim/report/timeline.hpp"

#include <map>
#include <string>
#include <unordered_map>

namespace sim::report {

class LabelLetters {
public:
    // Cost: spans.
    explicit LabelLetters(const Timeline& timeline);

    // "F3"; empty where no letter tells this label from others.
    const std::string& short_form(const trace::Span& span) const;
    // The part of the labels before their number: "forward of micro-batch".
    const std::string& meaning(char letter) const { return meanings_.at(letter); }

private:
    std::unordered_map<const std::string*, const std::string*> labels_;  // whose short form a label has
    std::unordered_map<const std::string*, std::string> short_forms_;
    std::map<char, std::string> meanings_;  // empty: several
};

}  // namespace sim::report
