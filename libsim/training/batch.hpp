// A batch says how many sequences a training step processes, how many at a time, and what is in them: documents, and
// how evenly their tokens visit experts.
#pragma once

#include "libsim/training/documents.hpp"
#include "libsim/training/expert_load.hpp"

namespace sim::training {

// A step has global / (dp x micro) micro-batches per pipeline; check_layout() makes sure that the division is exact.
struct Batch {
    int micro = 1;   // sequences that a rank takes through its layers at a time
    int global = 1;  // sequences of a step, over all data-parallel ranks

    Documents documents;              // that sequences are packed from
    bool balanced_documents = false;  // packed so that every data-parallel rank has as many pairs of query and key
    ExpertLoad expert_load;

    friend bool operator==(const Batch&, const Batch&) = default;
};

}  // namespace sim::training
