// How a verdict counts: its points, and whether the desk beside the program is to be believed.
#pragma once

#include <cstdint>

namespace sim::labs {

// What is known of lab.json: nothing of one that was not handed in.
enum class DeskState : std::uint8_t { is_signed, is_changed, is_of_another_seed, is_not_there };

struct Standing {
    double points = 0;  // of a program that passes; 0: one for each check
    DeskState desk = DeskState::is_signed;
};

// "signed", "changed", "of another seed", "not there".
const char* name_of(DeskState state);

}  // namespace sim::labs
