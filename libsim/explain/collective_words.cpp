#include "libsim/explain/collective_words.hpp"

#include <fmt/format.h>

namespace sim::explain {

CollectiveWords collective_words(const training::Accelerator& gpu) {
    const std::string& library = gpu.collectives;
    if (library.empty()) {
        return {.priced = "by a model of its algorithm and links",
                .algorithm = "as the model of the links chooses",
                .alone = "the model's estimate",
                .reached = "what collectives are taken to reach"};
    }
    if (library == training::Accelerator{}.collectives) {
        return {.priced = fmt::format("as {}'s tuner expects it", library),
                .algorithm = fmt::format("as {}'s tuner chooses", library),
                .alone = fmt::format("{}'s own estimate", library),
                .reached = fmt::format("what {} is measured to reach", library)};
    }
    return {.priced = fmt::format("by NCCL's model in place of {}'s", library),
            .algorithm = fmt::format("by NCCL's model in place of {}'s", library),
            .alone = fmt::format("NCCL's model in place of {}'s", library),
            .reached = fmt::format("what {} is taken to reach", library)};
}

}  // namespace sim::explain
