// Pipelines under test: run by the executor, and by run_free with the same cluster's costs.
#pragma once

#include "libsim/parallel/pipeline/pipeline.hpp"
#include "libsim/parallel/pipeline/run_free.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "tests/support/simulate.hpp"

namespace sim::test {

// In units of compute, per chunk.
struct UnitCosts {
    int forward = 1;
    int backward = 2;
    int backward_input = 1;
    int backward_weight = 1;

    Units of(PipelineWork work) const {
        switch (work) {
            case PipelineWork::forward: return Units(forward);
            case PipelineWork::backward: return Units(backward);
            case PipelineWork::backward_input: return Units(backward_input);
            case PipelineWork::backward_weight: return Units(backward_weight);
        }
        return {};
    }
};

// gpu-py with free messages: a unit of compute takes 0.1 s.
inline Cluster free_network() {
    Cluster cluster = gpu_py();
    cluster.network = Uniform{.per_byte = Pace{}, .per_billionth_unit = Pace{}};
    return cluster;
}

inline PipelineCosts priced(const Cluster& cluster, const UnitCosts& costs, const PipelineOptions& options) {
    return {.forward = compute_time(cluster, 0, costs.of(PipelineWork::forward)),
            .backward = compute_time(cluster, 0, costs.of(PipelineWork::backward)),
            .backward_input = compute_time(cluster, 0, costs.of(PipelineWork::backward_input)),
            .backward_weight = compute_time(cluster, 0, costs.of(PipelineWork::backward_weight)),
            .transfer = transfer_time(cluster, options.boundary),
            .acknowledgement = acknowledgement_time(cluster),
            .blocking_sends = options.blocking_sends};
}

// The whole world is one pipeline, with sizes instead of data.
inline ranks::Program pipeline_of_all(const PipelineShape& shape, PipelineSchedule schedule, const UnitCosts& costs,
                                      const PipelineOptions& options) {
    return [=](GPU& gpu) {
        run_pipeline(
            gpu, world(gpu), shape, schedule(shape, gpu.rank()),
            [&](const PipelineStep& step) { gpu.compute(name_of(step.work), costs.of(step.work)); }, options);
    };
}

}  // namespace sim::test
