#include "libsim/predict/json.hpp"

#include "libsim/training/layout_fields.hpp"

#include <type_traits>

namespace sim::predict {

using Json = nlohmann::ordered_json;

namespace {

Json json_of(const training::FieldValue& value) {
    return std::visit(
        [](const auto& one) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(one)>, std::monostate>) {
                return nullptr;
            } else {
                return one;
            }
        },
        value);
}

}  // namespace

Json json_of(const training::Layout& layout) {
    Json object = Json::object();
    for (const training::LayoutField& field : training::layout_fields()) {
        const Json value = json_of(shown_value(field, layout));
        object[field.key()] = value;
        if (*field.also != '\0') {
            object[field.also] = value;
        }
    }
    return object;
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
