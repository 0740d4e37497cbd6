#include "libsim/training/layout.hpp"

namespace sim::training {

namespace {

Loss megatron_loss(const Layout& layout) {
    return layout.framework.fusion == Fusion::fused && layout.framework.flash_attention ? Loss::fused : Loss::parallel;
}

}  // namespace

Loss loss_of(const Layout& layout) {
    return layout.framework.loss          ? *layout.framework.loss
           : layout.parallelism.zero == 3 ? Loss::torch
                                          : megatron_loss(layout);
}

Loss loss_of_framework(const Layout& layout) {
    switch (layout.framework.loop) {
        case TrainingLoop::megatron: return megatron_loss(layout);
        // Megatron-DeepSpeed uses Megatron-LM's own loss, not Transformer Engine's; ZeRO 3 runs PyTorch models.
        case TrainingLoop::deepspeed: return layout.parallelism.zero == 3 ? Loss::torch : Loss::parallel;
        case TrainingLoop::torch: break;
    }
    return Loss::torch;
}

const char* name_of(Recompute recompute) {
    switch (recompute) {
        case Recompute::none: return "none";
        case Recompute::selective: return "selective";
        case Recompute::full: return "full";
    }
    return "?";
}

const char* name_of(Fusion fusion) {
    switch (fusion) {
        case Fusion::eager: return "eager";
        case Fusion::fused: return "fused";
        case Fusion::compiled: return "compiled";
    }
    return "?";
}

const char* name_of(CudaGraphs graphs) {
    switch (graphs) {
        case CudaGraphs::none: return "none";
        case CudaGraphs::partial: return "partial";
        case CudaGraphs::full: return "full";
    }
    return "?";
}

const char* name_of(ContextExchange exchange) {
    switch (exchange) {
        case ContextExchange::p2p: return "p2p";
        case ContextExchange::all_gather: return "all_gather";
        case ContextExchange::a2a: return "a2a";
        case ContextExchange::a2a_p2p: return "a2a+p2p";
    }
    return "?";
}

const char* name_of(TrainingLoop loop) {
    switch (loop) {
        case TrainingLoop::megatron: return "megatron";
        case TrainingLoop::deepspeed: return "deepspeed";
        case TrainingLoop::torch: return "torch";
    }
    return "?";
}

}  // namespace sim::training
