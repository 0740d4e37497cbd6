// The words in which reports say by whose model collectives are priced.
//
// All collectives are priced by NCCL's model. Where another library carries them out, the model stands in its place;
// a compiler that carries them out, as a TPU's does, is no library, and none is named.
#pragma once

#include "libsim/training/machine.hpp"

#include <string>

namespace sim::explain {

struct CollectiveWords {
    std::string priced;     // "every collective …"
    std::string algorithm;  // "as NCCL's tuner chooses"
    std::string alone;      // "NCCL's own estimate"
    std::string reached;    // "the link's rate x …"
};
CollectiveWords collective_words(const training::Accelerator& gpu);

}  // namespace sim::explain
