#include "tools/torch/slot/kernels/kernels.hpp"

namespace sim::slot {

const Kernel* Kernels::find(const c10::OperatorName& name) const {
    const auto at = all_.find(short_name(name));
    return at == all_.end() ? nullptr : &at->second;
}

const Kernels& kernels() {
    static const Kernels all = [] {
        Kernels made;
        add_attention(made);
        add_batch_norms(made);
        add_convolutions(made);
        add_ctc_losses(made);
        add_grid_samplers(made);
        add_packed_attention(made);
        add_products(made);
        add_random_draws(made);
        add_recurrent_cells(made);
        add_recurrent_layers(made);
        add_rms_norms(made);
        add_softmaxes(made);
        add_synchronized_batch_norms(made);
        return made;
    }();
    return all;
}

}  // namespace sim::slot
