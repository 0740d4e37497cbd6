// An operator as the price list derives it from its schema: its kind, and what a kernel does with each argument.
#pragma once

#include "tools/torch/prices/kind.hpp"
#include "tools/torch/seam.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sim::torch::prices {

struct Argument {
    std::string name;
    bool is_read = true;      // if it is a tensor or a list of tensors
    bool is_written = false;  // in place, or as the result
    bool is_asked = false;    // a number that the price depends on
};

struct Operator {
    explicit Operator(const seam::Operator& schema);

    std::string name;  // plain_name()
    Kind kind = Kind::guessed;
    bool is_fused = false;     // by torch.compile, with its neighbours; never for another package's kernel
    bool is_in_place = false;  // its results are its own arguments
    bool has_scalar_list = false;
    int readings = 1;           // number of times that its kernel reads its inputs
    int long_row_readings = 1;  // the same if their rows are longer than a warp holds
    std::vector<Argument> arguments;
};

// Whether Call::integer, flag and integers may read an argument of this name, which makes it part of a call's
// signature.
bool is_asked_for(std::string_view argument);

}  // namespace sim::torch::prices
