// The standing of a verdict: its points, and whether the desk beside the program can be trusted.
#pragma once

#include <cstdint>

namespace sim::labs {

// The state of lab.json, which may also be missing from a submission.
enum class DeskState : std::uint8_t { is_signed, is_changed, is_of_another_seed, is_not_there };

struct Standing {
    double points = 0;  // points of a program that passes; 0: one per check
    DeskState desk = DeskState::is_signed;
};

// "signed", "changed", "of another seed", "not there".
const char* name_of(DeskState state);

}  // namespace sim::labs
