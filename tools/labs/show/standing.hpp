// The standing of a verdict: how its checks make a score, and whether the desk beside the program can be trusted.
#pragma once

#include "tools/labs/verdict.hpp"

#include <cstdint>

namespace sim::labs {

// The state of lab.json, which may also be missing from a submission.
enum class DeskState : std::uint8_t { is_signed, is_changed, is_of_another_seed, is_not_there };

struct Standing {
    double points = 0;  // points of a program that passes; 0: those of its checks
    DeskState desk = DeskState::is_signed;
    Weights weights = {};
    bool pass_fail = false;  // all points for a program that passes, none for another
};

// "signed", "changed", "of another seed", "not there".
const char* name_of(DeskState state);

}  // namespace sim::labs
