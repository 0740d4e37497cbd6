// The members that PyTorch's C++ reads of a backend named gloo, which it takes for its own ProcessGroupGloo.
//
// DistributedDataParallel's logger casts the default backend to that class by its name alone and reads its number of
// threads. PyTorch's own header cannot be used, because it includes gloo's headers, which are never installed. (1) The
// members here directly follow c10d::Backend, like the first ones of ProcessGroupGloo. (2) Nobody calls a function of
// ProcessGroupGloo that Backend does not have.
// Source: torch/csrc/distributed/c10d/ProcessGroupGloo.hpp and logger.cpp, 2.6 to 2.14.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <memory>
#include <vector>

namespace sim::slot {

class LikeGloo : public c10d::Backend {
public:
    LikeGloo(int rank, int size) : Backend(rank, size) {}

private:
    struct OptionsOfGloo : c10d::Backend::Options {
        OptionsOfGloo() : Backend::Options("gloo") {}
        std::vector<std::shared_ptr<void>> devices;
        int threads = 2;  // gloo's default
    };
    // The store before the options takes one pointer in 2.6 and two in 2.13, so the options are in both places.
    void* store_of_gloo_ = nullptr;
    c10::intrusive_ptr<OptionsOfGloo> options_of_gloo_ = c10::make_intrusive<OptionsOfGloo>();
    c10::intrusive_ptr<OptionsOfGloo> options_of_later_ = options_of_gloo_;
};

}  // namespace sim::slot
