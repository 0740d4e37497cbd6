// The work of a model's tower (transformer.hpp) for one micro-batch on one rank: its operators, in parts that are
// executed one after the other, each some times.
//
// The tower runs on the first stage, between the embedding and the first layer. Tensor-parallel ranks share its heads
// and widths, and all have the projector's matrices. Every rank of a context-parallel group computes all images: the
// sequence is cut behind the tower (Megatron-LM's LLaVA). Micro-batches of images are not quantised differently from
// those of words, and adapters leave all of the tower frozen.
#pragma once

#include "libsim/training/operators.hpp"

#include <string>
#include <vector>

namespace sim::training {

struct TowerPart {
    std::vector<Operator> operators;
    int times = 1;
    bool is_layer = false;  // is recomputed as the model's layers are
    bool trained = true;    // has gradients; otherwise there is no backward pass
};
// Patches and positions; layers of each kind and window; the projector. Empty without a tower.
std::vector<TowerPart> tower_parts(const Transformer& model, const Layout& layout);

// The layout that a tower's operators have: the images of a micro-batch are its samples. Requires: a tower.
Layout tower_layout(const Tower& tower, const Layout& layout);

// Gives a model's tower this many images in each of the model's sequences. Throws ProgramError if it has none.
void give_images(Transformer& model, int images);

// "images 2: each has 4096 patches and becomes 256 of a sequence's 8192 tokens, the others are text; …". Requires: a
// tower.
std::string images_told(const Transformer& model);

std::int64_t parameters_of_tower(const Transformer& model);

// FLOPs of one sequence's images, forward, of the parts that are trained and of those that are frozen.
struct TowerFlops {
    double trained = 0;
    double frozen = 0;
};
TowerFlops tower_flops(const Transformer& model);

}  // namespace sim::training
