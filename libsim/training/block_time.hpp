// The block time is the time that a stage takes for one micro-batch: its operators' kernels, one after another, and the
// exposed part of their collectives.
#pragma once

#include "libsim/trace/time_category.hpp"
#include "libsim/training/block_costs.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace sim::training {

// One kernel or collective of a block, as it is executed.
struct KernelSpan {
    const char* name;
    TimeCategory category;
    Duration time;
};

// The time of one layer (or of the embedding, or of the output) for one micro-batch. Backward is divided into input and
// weight gradients, which a schedule with a split backward runs separately. In a pair of a forward and a backward pass,
// the dispatch of each runs beside the computation of the other.
struct BlockTime {
    TimeParts forward;
    TimeParts backward_input;  // including the recomputation before it
    TimeParts backward_weight;
    TimeParts paired_forward;  // if the schedule has pairs
    TimeParts paired_backward;
    double forward_flops = 0;  // executed, on this rank
    double backward_flops = 0;
    double recompute_flops = 0;

    Duration backward() const { return backward_input.total() + backward_weight.total(); }
    BlockTime& operator+=(const BlockTime& other);
};

class BlockTimes {
public:
    BlockTimes(const Transformer& model, const Machine& machine, const Layout& layout, const BlockGroups& groups);

    // Cost: linear in the operators of a layer, once for each sort of layer.
    const BlockTime& of_layer(int layer);
    // True if both layers are of one sort: of_layer() is the same.
    bool are_alike(int layer, int other) const;
    BlockTime of_embedding() const;
    // The tower, for the images of a micro-batch. Requires: there is one.
    BlockTime of_tower() const;
    // The time of one layer of multi-token prediction (`number` from 0), without its embedding and output.
    BlockTime of_prediction(int number) const;
    BlockTime of_output() const;
    // In execution order; their times add up to exactly the block's.
    std::vector<KernelSpan> forward_kernels(int layer) const;
    std::vector<KernelSpan> backward_kernels(int layer) const;

private:
    // Layers of one sort have the same operators.
    struct Sort {
        LayerKind kind;
        int window;
        bool rotates;
        bool offloaded;  // its activations are in host memory between the passes
        friend bool operator==(const Sort&, const Sort&) = default;
    };
    Sort sort_of(int layer) const;
    struct Passes {
        std::vector<KernelSpan> forward;
        std::vector<KernelSpan> input;
        std::vector<KernelSpan> weight;
    };
    bool is_in_bf16(int layer) const;
    bool is_offloaded(int layer) const;
    double copied_bytes(int layer) const;
    // `copied`: bytes of activations copied to the host beside the forward pass, and back beside the backward pass.
    BlockTime sum(const std::vector<Operator>& operators, const std::vector<Operator>& again, double copied = 0) const;
    // `exposed`: the share of dispatch and combine that is not hidden.
    Passes passes(const std::vector<Operator>& operators, const std::vector<Operator>& again, double exposed,
                  double copied) const;
    void forward(const std::vector<Operator>& operators, bool again, double exposed,
                 std::vector<KernelSpan>& spans) const;
    void backward(const std::vector<Operator>& operators, double exposed, std::vector<KernelSpan>& input,
                  std::vector<KernelSpan>& weight) const;
    void add_wait_for_host(double launches, std::size_t from, std::vector<KernelSpan>& spans) const;
    void add_wait_for_copies(double copied, Duration beside, std::vector<KernelSpan>& spans) const;

    const Transformer* model_;
    const Layout* layout_;
    BlockCosts costs_;
    std::vector<std::pair<Sort, BlockTime>> sorts_;
    // Layers left in 16 bits take what they take in a layout without quantisation; null if there are none.
    std::unique_ptr<const Layout> layout_in_bf16_;
    std::unique_ptr<BlockTimes> in_bf16_;
};

}  // namespace sim::training
