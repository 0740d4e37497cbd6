#include "libsim/predict/json.hpp"

#include "libsim/training/recomputation.hpp"

namespace sim::predict {

using Json = nlohmann::ordered_json;

Json json_of(const training::Layout& layout) {
    return {{"dp", layout.parallelism.dp},
            {"tp", layout.parallelism.tp},
            {"pp", layout.parallelism.pp},
            {"cp", layout.parallelism.cp},
            {"ep", layout.parallelism.ep},
            {"expert_tp", layout.parallelism.expert_tp},
            {"micro_batch", layout.batch.micro},
            {"global_batch", layout.batch.global},
            {"schedule", layout.parallelism.schedule->name},
            {"interleave", layout.parallelism.interleave},
            {"drop_last_layers", layout.parallelism.split.drop_last},
            {"count_embedding", layout.parallelism.split.count_embedding},
            {"count_loss", layout.parallelism.split.count_loss},
            {"pipeline_layout",
             layout.parallelism.split.is_listed() ? Json(text_of(layout.parallelism.split)) : Json(nullptr)},
            {"zero", layout.parallelism.zero},
            {"recompute", name_of(layout.framework.recompute)},
            {"recompute_modules", text_of(recomputed_modules(layout))},
            {"precision", name_of(layout.numerics.precision)},
            {"first_layers_bf16", layout.numerics.first_layers_bf16},
            {"last_layers_bf16", layout.numerics.last_layers_bf16},
            {"optimizer", name_of(layout.numerics.optimizer)},
            {"fusion", name_of(layout.framework.fusion)},
            {"sequence_parallel", layout.parallelism.sequence_parallel},
            {"flash_attention", layout.framework.flash_attention},
            {"fp32_gradients", layout.numerics.fp32_gradients},
            {"overlap_gradients", layout.framework.overlap_gradients},
            {"overlap_parameters", layout.framework.overlap_parameters},
            {"overlap_tensor", layout.framework.overlap_tensor},
            {"overlap_pipeline", layout.framework.overlap_pipeline},
            {"scatter_gather", layout.framework.scatter_gather},
            {"reshard_after_forward", layout.framework.reshard_after_forward},
            {"offload_optimizer", layout.framework.offload_optimizer},
            {"offloaded_layers", layout.framework.offloaded_layers}};
}

Json json_of(const training::MemoryUse& use) {
    return {{"parameters", use.parameters},   {"gradients", use.gradients}, {"optimizer", use.optimizer},
            {"activations", use.activations}, {"working", use.working},     {"buffers", use.buffers},
            {"reserve", use.reserve},         {"total", use.total()}};
}

Json json_of(const training::Memory& memory) {
    Json stages = Json::array();
    for (const training::StageMemory& stage : memory.stages) {
        Json one{{"stage", stage.stage}};
        one.update(json_of(stage.peak));
        one["in_flight"] = stage.in_flight;
        one["when"] = stage.when;
        one["first_layer_that_overflows"] = stage.overflow ? Json(*stage.overflow) : Json(nullptr);
        stages.push_back(std::move(one));
    }
    return {{"capacity", memory.capacity},
            {"fits", memory.fits()},
            {"peak", memory.fullest().peak.total()},
            {"fullest_stage", memory.fullest().stage},
            {"stages", std::move(stages)}};
}

Json json_of(const Budget& budget) {
    Json object = Json::object();
    for (std::size_t i = 0; i < time_categories; ++i) {
        object[name_of(static_cast<TimeCategory>(i))] = budget[i];
    }
    return object;
}

Json json_of(const RunCost& cost) {
    return {{"steps", cost.steps},
            {"seconds", cost.seconds},
            {"gpu_hours", cost.gpu_hours},
            {"usd", cost.usd > 0 ? Json(cost.usd) : Json(nullptr)},
            {"kilowatt_hours", cost.kilowatt_hours > 0 ? Json(cost.kilowatt_hours) : Json(nullptr)}};
}

void add_case(Json& object, const TrainingCase& what) {
    object["model"] = what.model.name;
    object["machine"] = what.machine.name;
    object["gpus"] = what.gpus();
    object["layout"] = json_of(what.layout);
}

}  // namespace sim::predict
