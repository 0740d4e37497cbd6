// `ndsim models` lists the models that every command knows by name, with their parameter counts.
#include "libsim/report/amounts.hpp"
#include "libsim/report/record.hpp"
#include "libsim/report/text_table.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/presets.hpp"
#include "tools/ndsim/commands.hpp"

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace report;
using namespace report::keys;

namespace {

struct KnownModel {
    training::Transformer model;
    training::Parameters parameters;

    std::int64_t all() const { return parameters.total(); }
    std::int64_t active() const { return parameters.active; }
};
using KnownModels = std::vector<KnownModel>;

KnownModels known_models() {
    KnownModels known;
    for (const training::Transformer& model : training::presets()) {
        known.push_back({model, training::parameters_of(model)});
    }
    return known;
}

const report::Record<KnownModel>& model_record() {
    using Known = KnownModel;
    const auto of_model = [](auto member) {
        return [member](const Known& of) { return std::invoke(member, of.model); };
    };
    using training::Transformer;
    static const report::Record<Known> record(
        "A model.",
        {name<Known>("name", "Its name.", of_model(&Transformer::name)),
         whole<Known>("layers", "Layers.", of_model(&Transformer::layers)),
         whole<Known>("hidden", "Width of the hidden state.", of_model(&Transformer::hidden)),
         whole<Known>("heads", "Heads of queries.", of_model(&Transformer::heads)),
         whole<Known>("kv_heads", "Heads of keys and values.", of_model(&Transformer::kv_heads)),
         whole<Known>("sequence", "Tokens of a sample in most of the pretraining.", of_model(&Transformer::sequence)),
         whole<Known>("parameters", "Parameters in all.", &Known::all),
         whole<Known>("active", "Parameters without the experts that a token is not sent to.", &Known::active)});
    return record;
}

const report::Record<KnownModels>& models_record() {
    static const report::Record<KnownModels> record(
        "The models that are known by name.",
        {command<KnownModels>("models"),
         list_of<KnownModels>("models", "Every model, in families, small to large.", model_record(), std::identity())});
    return record;
}

std::string text_of(const KnownModels& models) {
    TextTable shown{
        .columns = {{"model", Align::left}, {"parameters"}, {"active"}, {"layers"}, {"hidden"}, {"sequence"}}};
    for (const KnownModel& one : models) {
        const auto active = static_cast<double>(one.active());
        shown.rows.push_back({{one.model.name, count_text(static_cast<double>(one.all())),
                               one.active() == one.all() ? "" : count_text(active), std::to_string(one.model.layers),
                               std::to_string(one.model.hidden), std::to_string(one.model.sequence)}});
    }
    return text_of(shown) +
           "\nactive: parameters that a token is multiplied with, of models with experts; sequence: tokens of a "
           "sample\n"
           "in most of the pretraining. A name may be written in capitals, with hyphens or its publisher:\n"
           "meta-llama/Llama-3.1-8B is llama3.1-8b. Others are read from a config.json or a TOML file: "
           "docs/models.md\n";
}

Answer models_answer() {
    const auto models = std::make_shared<const KnownModels>(known_models());
    return {.forms = {.text = [models] { return text_of(*models); },
                      .json = [models] { return json_line(models_record().json(*models)); },
                      .table = [models] { return model_record().table(*models); }}};
}

Question models_question() {
    return {.offer = {.table = "write a row for each model as CSV"},
            .answer = [](const Asked&) { return models_answer(); }};
}

SchemaText models_schema() {
    return schema_of_command("models", models_record().schema());
}

SchemaText models_columns() {
    return columns_of_command("models", model_record().columns());
}

}  // namespace

const Command models_command{
    .name = "models",
    .headline = "list the models that are known by name, with their parameter counts",
    .summary = "Lists the models that are known by name, with their parameter counts.",
    .examples = {"ndsim models                       # all names", "ndsim models --csv models.csv",
                 "ndsim train --model llama3-8b      # one of them; also a config.json or a TOML file"},
    .schemas = {models_schema, models_columns},
    .question = models_question};

}  // namespace sim::tools
