// These phrases name, in reports, whose model prices collectives.
//
// All collectives are priced by NCCL's model. If another library runs them, NCCL's model is the substitute; if a
// compiler runs them, as on a TPU, there is no library to name.
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
