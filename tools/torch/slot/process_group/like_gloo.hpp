// What PyTorch's C++ reads of a backend that calls itself gloo, where it takes it for its own ProcessGroupGloo.
//
// DistributedDataParallel's logger casts the default backend to that class by its name alone and reads how many threads
// it has. PyTorch's own header cannot be used: it includes gloo's, which are installed nowhere. (1) The members here
// lie right behind c10d::Backend, where ProcessGroupGloo has its first ones. (2) Nobody calls a
// function of ProcessGroupGloo that Backend does not have.
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
        int threads = 2;  // as gloo has them
    };
    // The store before the options is one pointer in 2.6 and two in 2.13, so that the options are in both places.
    void* store_of_gloo_ = nullptr;
    c10::intrusive_ptr<OptionsOfGloo> options_of_gloo_ = c10::make_intrusive<OptionsOfGloo>();
    c10::intrusive_ptr<OptionsOfGloo> options_of_later_ = options_of_gloo_;
};

}  // namespace sim::slot
