#include "libsim/training/memory/tower_bytes.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/step/step_plan.hpp"
#include "libsim/training/tower.hpp"

#include <cmath>

namespace sim::training {

void add_tower(const StepPlan& plan, StagePlan& stage, GradientBucket& bucket) {
    const Layout& layout = plan.layout;
    const TowerBytes tower = tower_bytes(plan.model, layout);
    bucket.dense_parameters += std::llround(tower.trained);
    bucket.beside.frozen += std::llround(tower.frozen);
    bucket.beside.frozen_dense_bytes += tower.frozen * plan.element_bytes;
    if (!has_trained_parts(layout)) {
        return;
    }
    for (const TowerPart& part : tower_parts(plan.model, layout)) {
        const auto parameters =
            static_cast<double>(layer_parameters(part.operators).dense_of_rank(layout.parallelism.tp));
        const MatrixWork work = matrix_work(plan.machine.gpu, layout, layer_training(part.operators).dense, parameters);
        for (int time = 0; part.trained && time < part.times; ++time) {
            stage.update.dense_matrices += work;
            bucket.beside.updated_dense_bytes += layout.numerics.optimizer->gathered * work.numbers;
        }
    }
}

}  // namespace sim::training
