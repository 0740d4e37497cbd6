// The block time is the time of a stage for one micro-batch: its operators' kernels, one after another, and the exposed
// part of their collectives.
#pragma once

#include "libsim/training/machine.hpp"
#include "libsim/training/operators.hpp"
#include "libsim/training/time_category.hpp"

#include <memory>
#include <vector>

namespace sim::training {

// One kernel or collective, as a block carries it out.
struct KernelSpan {
    const char* name;
    TimeCategory category;
    Duration time;
};

// The time of one layer (or of the embedding, or of the output) for one micro-batch. The parts of backward are those of
// both gradients; a schedule that splits backward runs them apart. In a pair of a forward and a backward pass the
// dispatch of each runs beside the computation of the other.
struct BlockTime {
    Parts forward;
    Parts backward_input;  // with what is computed again before it
    Parts backward_weight;
    Parts paired_forward;  // where the schedule has pairs
    Parts paired_backward;
    double forward_flops = 0;  // carried out, on this rank
    double backward_flops = 0;
    double recompute_flops = 0;

    Duration backward() const { return backward_input.total() + backward_weight.total(); }
    BlockTime& operator+=(const BlockTime& other);
};

// The groups that a block's collectives run over.
struct BlockGroups {
    Footprint tensor;
    Footprint context;
    Footprint expert;
    Footprint expert_tensor;
};

class BlockTimes {
public:
    BlockTimes(const Transformer& model, const Machine& machine, const Layout& layout, const BlockGroups& groups);

    // Cost: linear in the operators of a layer, once for each sort of layer.
    const BlockTime& of_layer(int layer);
    // Layers of one sort: of_layer() is the same.
    bool are_alike(int layer, int other) const;
    BlockTime of_embedding() const;
    // Of one layer of multi-token prediction, `number` from 0, without its embedding and output.
    BlockTime of_prediction(int number) const;
    BlockTime of_output() const;
    // In the order in which they run; their times add up to the block's, exactly.
    std::vector<KernelSpan> forward_kernels(int layer) const;
    std::vector<KernelSpan> backward_kernels(int layer) const;

private:
    // Layers that are left in 16 bits: those of a layout in which all are.
    struct InBf16;
    struct DeleteInBf16 {
        void operator()(InBf16* times) const;
    };
    bool is_in_bf16(int layer) const;
    struct Sort {
        bool experts;
        int window;
        BlockTime time;
    };
    BlockTime sum(const std::vector<Operator>& operators, const std::vector<Operator>& again) const;
    // Both passes, as long as their dispatch and combine are exposed.
    struct Passes {
        std::vector<KernelSpan> forward;
        std::vector<KernelSpan> input;
        std::vector<KernelSpan> weight;
    };
    Passes passes(const std::vector<Operator>& operators, const std::vector<Operator>& again, double exposed) const;
    // `exposed`: the part of dispatch and combine that takes time: exposed_alone(), exposed_dispatch().
    void forward(const std::vector<Operator>& operators, bool again, double exposed,
                 std::vector<KernelSpan>& spans) const;
    void backward(const std::vector<Operator>& operators, double exposed, std::vector<KernelSpan>& input,
                  std::vector<KernelSpan>& weight) const;
    void add_wait_for_host(double launches, std::size_t from, std::vector<KernelSpan>& spans) const;
    double launches_of(const Operator& op, double kernels, bool quantises) const;
    double exposed_alone(const std::vector<Operator>& operators) const;
    double exposed_dispatch(const std::vector<Operator>& operators) const;
    double forward_seconds(const Operator& op) const;
    double tensor_seconds(std::optional<CollectiveKind> kind, double bytes) const;
    double expert_seconds(double bytes) const;
    double expert_backward_seconds(const Operator& op) const;
    double busy_seconds(CollectiveKind kind, double bytes, const Footprint& members) const;
    double next_product(const std::vector<Operator>& operators, std::size_t at) const;
    double context_seconds(double bytes, double core) const;
    struct Gradients {
        double input;
        double weight;
    };
    Gradients gradients_of(const Operator& op) const;
    double core_backward_seconds(const Operator& op) const;
    double tensor_backward_seconds(const Operator& op, double weight_gradient) const;

    const Transformer* model_;
    const Machine* machine_;
    const Layout* layout_;
    BlockGroups groups_;
    KernelTimes kernels_;
    bool splits_backward_;
    std::vector<Sort> sorts_;
    std::unique_ptr<InBf16, DeleteInBf16> in_bf16_;  // null: there are none
};

}  // namespace sim::training
