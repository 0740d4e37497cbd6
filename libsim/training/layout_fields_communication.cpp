#include "libsim/training/layout_field_rows.hpp"
#include "libsim/training/layout_groups.hpp"

namespace sim::training::field_rows {

namespace {

bool puts_off_outputs(const Layout& layout) {
    return layout.framework.deferred_output_wgrads > 0 && layout.parallelism.pp > 1;
}
bool exchanges_otherwise(const Layout& layout) {
    return layout.parallelism.cp > 1 && layout.framework.context_exchange != ContextExchange::p2p;
}
bool exchanges_heads(const Layout& layout) {
    return layout.head_ranks() > 1;
}

bool has_outer_steps(const Layout& layout) {
    return layout.framework.outer_every > 0;
}
bool offloads_layers(const Layout& layout) {
    return layout.framework.offloaded_layers > 0;
}
bool offloads_optimizer(const Layout& layout) {
    return layout.framework.offload_optimizer;
}

void add_exchange_of_context(Fields& fields) {
    LayoutField exchange{
        "cp-comm-type", "NAME",
        "exchange of context parallelism: p2p (a ring), all_gather, a2a (Ulysses: heads for parts of the "
        "sequence) or a2a+p2p (p2p)",
        "Exchange of context parallelism, by Megatron's names: p2p, all_gather, a2a or a2a+p2p.",
        named<these<ContextExchange, ContextExchange::p2p, ContextExchange::all_gather, ContextExchange::a2a,
                    ContextExchange::a2a_p2p>,
              framework_of, &Framework::context_exchange>()};
    exchange.launched = {{megatron, "--cp-comm-type {}", exchanges_otherwise},
                         {torchtitan, "cp-comm-type {}", exchanges_heads, LaunchFlag::Says::lacks}};
    fields.push_back(rare(exchange));
    fields.push_back(rare(whole<framework_of, &Framework::ulysses>(
        "ulysses", 0, most_ranks,
        "with --cp-comm-type a2a+p2p, number of adjacent context-parallel ranks that exchange heads (0)",
        "Number of adjacent context-parallel ranks that exchange heads with a2a+p2p.")));
}

void add_outer_steps(Fields& fields) {
    LayoutField outer = whole<framework_of, &Framework::outer_every>(
        "outer-every", 0, most_of_a_field,
        "DiLoCo: groups of --shard ranks average their parameters once in N steps, and sum no gradients (0: they sum "
        "them in every step)",
        "Steps after which groups of shard ranks average their parameters (DiLoCo).");
    outer.launched = {{megatron, "outer steps (DiLoCo)", has_outer_steps, LaunchFlag::Says::lacks},
                      {torchtitan, "outer steps (DiLoCo)", has_outer_steps, LaunchFlag::Says::lacks}};
    fields.push_back(rare(outer));
}

}  // namespace

void add_communication(Fields& fields) {
    add_exchange_of_context(fields);
    fields.insert(
        fields.end(),
        {toggle<framework_of, &Framework::balanced_context>(
             "balanced-context", "balance causal attention over context-parallel ranks (on)",
             "Whether causal attention is balanced over context-parallel ranks."),
         toggle<framework_of, &Framework::dispatch_by_node>(
             "dispatch-by-node",
             "send a token once to each node that has some of its experts, not once per expert (on)",
             "Whether a token is sent once to each node that has some of its experts, not once per expert."),
         launched(toggle<framework_of, &Framework::scatter_gather>(
                      "scatter-gather", "split messages between pipeline stages over the network cards of tp (on)",
                      "Whether messages between stages are split over the network cards of tp."),
                  {{megatron, "--no-scatter-gather-tensors-in-pipeline",
                    [](const Layout& layout) {
                        return !layout.framework.scatter_gather && layout.parallelism.tp > 1 &&
                               layout.parallelism.pp > 1;
                    }}}),
         under(layout_group::memory,
               toggle<framework_of, &Framework::reshard_after_forward>(
                   "reshard-after-forward",
                   "ZeRO 3 frees parameters after the forward pass and gathers them again for the backward pass (on)",
                   "Whether ZeRO 3 frees parameters after the forward pass and gathers them again for the backward "
                   "pass.")),
         whole<framework_of, &Framework::gathers_per_layer>(
             "gathers-per-layer", 1, most_of_a_field,
             "number of collectives in which ZeRO 3 gathers a layer's parameters (1; DeepSpeed: one per tensor)",
             "Number of collectives in which ZeRO 3 gathers a layer's parameters."),
         whole<framework_of, &Framework::reductions_per_layer>(
             "reductions-per-layer", 1, most_of_a_field,
             "number of collectives in which ZeRO 3 reduces a layer's gradients (1; DeepSpeed: one per tensor)",
             "Number of collectives in which ZeRO 3 reduces a layer's gradients."),
         toggle<framework_of, &Framework::per_rank_tensors>(
             "per-rank-tensors",
             "ZeRO 3's collectives take a list with one tensor per rank, which the host copies one by one (off)",
             "Whether ZeRO 3's collectives take a list with one tensor per rank, which the host copies one by one."),
         launched(whole<framework_of, &Framework::deferred_output_wgrads>(
                      "defer-output-wgrads", 0, most_of_a_field,
                      "number of first micro-batches that defer the output layer's weight gradient to the end (0)",
                      "Number of first micro-batches that defer the output layer's weight gradient to the end."),
                  {{megatron, "--defer-embedding-wgrad-compute", puts_off_outputs},
                   {megatron, "--wgrad-deferral-limit {}", puts_off_outputs}})});
    add_outer_steps(fields);
}

void add_offloading(Fields& fields) {
    LayoutField layers = whole<framework_of, &Framework::offloaded_layers>(
        "offload-layers", 0, most_of_a_field,
        "number of first layers whose activations are in host memory between the passes; two stay on the GPU (0)",
        "Number of first layers whose activations are in host memory between the passes.");
    layers.also = "offloaded_layers";
    layers.launched = {{megatron, "--cpu-offloading-num-layers {}", offloads_layers},
                       {torchtitan, "offloaded activations", offloads_layers, LaunchFlag::Says::lacks}};
    fields.push_back(launched(toggle<framework_of, &Framework::offload_optimizer>(
                                  "offload-optimizer", "keep optimizer states and run the update on the host (off)",
                                  "Whether optimizer states and the update are on the host."),
                              {{megatron, "--optimizer-cpu-offload", offloads_optimizer},
                               {torchtitan, "--training.enable_cpu_offload", offloads_optimizer}}));
    fields.push_back(layers);
}

}  // namespace sim::training::field_rows
