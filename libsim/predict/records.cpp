#include "libsim/predict/records.hpp"

#include "libsim/training/layout_fields.hpp"

namespace sim::predict {

using namespace report;
using namespace report::keys;

namespace {

using training::Layout;
using training::LayoutField;
using training::Memory;
using training::MemoryUse;
using training::StageMemory;

// The type of a switch in JSON. An unset text is null, unless the switch shows another value.
struct TypeOfSwitch {
    const LayoutField& field;
    Json operator()(const training::WholeField& /*kind*/) const { return "integer"; }
    Json operator()(const training::RealField& /*kind*/) const { return "number"; }
    Json operator()(const training::ToggleField& /*kind*/) const { return "boolean"; }
    Json operator()(const training::NameField& /*kind*/) const { return "string"; }
    Json operator()(const training::TextField& /*kind*/) const {
        return field.shown != nullptr ? Json("string") : Json::array({"string", "null"});
    }
};

Field<Layout> switch_field(const LayoutField& field, const std::string& key, const std::string& what) {
    const bool is_name = std::holds_alternative<training::NameField>(field.kind);
    Field<Layout> made = field_of<Layout>(
        key, {{"type", std::visit(TypeOfSwitch{field}, field.kind)}, {"description", what}},
        [&field](const Layout& layout) { return held(shown_value(field, layout)); },
        is_name ? Cells::names : Cells::numbers);
    return field.is_rare ? only_if(made, [&field](const Layout& layout) { return is_set(field, layout); }) : made;
}

const Record<StageMemory>& stage_memory_record() {
    using Stage = StageMemory;
    static const Record<Stage> record(
        "The peak of a rank of this stage, in bytes.",
        joined<Stage>(
            {{whole<Stage>("stage", "Number of the stage, from 0.", &Stage::stage)},
             fields_of<Stage>(memory_use_record(), &Stage::peak),
             {whole<Stage>("in_flight", "Micro-batches whose activations are kept at the peak, counted in every chunk.",
                           &Stage::in_flight),
              free_text<Stage>("when", "The step of the schedule with the peak.", &Stage::when),
              whole_or_null<Stage>("first_layer_that_overflows",
                                   "First layer whose activations do not fit; -1: the states do not; null: all fits.",
                                   &Stage::overflow)}}));
    return record;
}

std::optional<double> known(double value) {
    return value > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

const Record<Layout>& layout_record() {
    static const Record<Layout> record(
        "Layout of the step over the GPUs; the keys are the options' names with _ instead of -.", [] {
            std::vector<Field<Layout>> fields;
            for (const LayoutField& field : training::layout_fields()) {
                fields.push_back(switch_field(field, field.key(), field.what));
                if (*field.also != '\0') {
                    fields.push_back(switch_field(field, field.also,
                                                  fmt::format("The same as {}, under its older name.", field.key())));
                }
            }
            return fields;
        }());
    return record;
}

const Record<MemoryUse>& memory_use_record() {
    using Use = MemoryUse;
    static const Record<Use> record(
        "Bytes that a rank holds at one moment.",
        {whole<Use>("parameters", "Bytes of parameters.", &Use::parameters),
         whole<Use>("gradients", "Bytes of gradients.", &Use::gradients),
         whole<Use>("optimizer", "Bytes of master weights and moments.", &Use::optimizer),
         whole<Use>("activations", "Bytes of activations that layers keep from forward to backward.",
                    &Use::activations),
         whole<Use>("working", "Bytes of the layer being computed: its gradients, logits, gathered parameters.",
                    &Use::working),
         whole<Use>("buffers", "Bytes of communication buffers and workspaces.", &Use::buffers),
         whole<Use>("reserve", "Bytes of the CUDA context, NCCL, and memory that the allocator cannot use.",
                    &Use::reserve),
         whole<Use>("total", "Bytes of all of these.", &Use::total)});
    return record;
}

const Record<Memory>& memory_record() {
    static const Record<Memory> record(
        "Memory of a GPU at its peak, by pipeline stage.",
        {whole<Memory>("capacity", "Bytes of memory of a GPU.", &Memory::capacity),
         truth<Memory>("fits", "Whether the peak of every stage fits.", &Memory::fits),
         whole<Memory>("peak", "Bytes that the fullest rank holds at its peak.",
                       [](const Memory& of) { return of.fullest().peak.total(); }),
         whole<Memory>("fullest_stage", "Stage of that rank, from 0.",
                       [](const Memory& of) { return of.fullest().stage; }),
         list_of<Memory>("stages", "A row for each pipeline stage.", stage_memory_record(), &Memory::stages)});
    return record;
}

const Record<Budget>& budget_record() {
    static const Record<Budget> record("Seconds of a step by category, which add up to the step.", [] {
        std::vector<Field<Budget>> fields;
        for (std::size_t i = 0; i < time_categories; ++i) {
            fields.push_back(number<Budget>(name_of(static_cast<TimeCategory>(i)),
                                            meaning_of(static_cast<TimeCategory>(i)),
                                            [i](const Budget& budget) { return budget.at(i); }));
        }
        return fields;
    }());
    return record;
}

const Record<RunCost>& cost_record() {
    static const Record<RunCost> record(
        "Cost of this many steps.",
        {number<RunCost>("steps", "Steps of the run.", &RunCost::steps),
         number<RunCost>("seconds", "Seconds of all steps.", &RunCost::seconds),
         number<RunCost>("gpu_hours", "GPU-hours: GPUs x hours.", &RunCost::gpu_hours),
         number_or_null<RunCost>("usd", "US dollars; null: no price is known.",
                                 [](const RunCost& cost) { return known(cost.usd); }),
         number_or_null<RunCost>("kilowatt_hours",
                                 "Kilowatt-hours that the GPUs draw at full load; null: their power is not known.",
                                 [](const RunCost& cost) { return known(cost.kilowatt_hours); })});
    return record;
}

SchemaText common_schema() {
    const Json definitions{{"layout", layout_record().schema()},
                           {"memory", memory_record().schema()},
                           {"budget", budget_record().schema()},
                           {"cost", cost_record().schema()}};
    return {"common.schema.json", Json{{"definitions", definitions}}.dump()};
}

}  // namespace sim::predict
