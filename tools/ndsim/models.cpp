// `ndsim models`: the models that every command knows by name, with their parameters.
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/presets.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/outputs.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/ndsim/commands.hpp"

#include <nlohmann/json.hpp>

namespace sim::tools {

using namespace command_line;

namespace {

const Executable executable{
    .name = "ndsim models",
    .summary = "The models that are known by name, with their parameters.",
    .examples = {"ndsim models                       # all names", "ndsim models --csv models.csv",
                 "ndsim train --model llama3-8b      # one of them; a config.json or a TOML file will do, too"},
};

report::Table table_of_models() {
    report::Table table{.columns = {{"name", report::Cells::names},
                                    {"layers"},
                                    {"hidden"},
                                    {"heads"},
                                    {"kv_heads"},
                                    {"sequence"},
                                    {"parameters"},
                                    {"active"}}};
    for (const training::Transformer& model : training::presets()) {
        const training::Parameters count = training::parameters_of(model);
        table.rows.push_back({model.name, std::to_string(model.layers), std::to_string(model.hidden),
                              std::to_string(model.heads), std::to_string(model.kv_heads),
                              std::to_string(model.sequence), std::to_string(count.total()),
                              std::to_string(count.active)});
    }
    return table;
}

std::string text_of_models() {
    report::TextTable shown{
        .columns = {{"model", report::Align::left}, {"parameters"}, {"active"}, {"layers"}, {"hidden"}, {"sequence"}}};
    for (const training::Transformer& model : training::presets()) {
        const training::Parameters count = training::parameters_of(model);
        const bool all = count.active == count.total();
        shown.rows.push_back(
            {{model.name, report::count_text(static_cast<double>(count.total())),
              all ? "" : report::count_text(static_cast<double>(count.active)), std::to_string(model.layers),
              std::to_string(model.hidden), std::to_string(model.sequence)}});
    }
    return text_of(shown) +
           "\nactive: parameters that a token is multiplied with, of models with experts; sequence: tokens of a "
           "sample\n"
           "in most of the pretraining. A name may be written in capitals, with hyphens or its publisher:\n"
           "meta-llama/Llama-3.1-8B is llama3.1-8b. Others are read from a config.json or a TOML file: "
           "docs/models.md\n";
}

std::string json_of_models() {
    nlohmann::ordered_json models = nlohmann::ordered_json::array();
    for (const training::Transformer& model : training::presets()) {
        const training::Parameters count = training::parameters_of(model);
        models.push_back({{"name", model.name},
                          {"layers", model.layers},
                          {"hidden", model.hidden},
                          {"heads", model.heads},
                          {"kv_heads", model.kv_heads},
                          {"sequence", model.sequence},
                          {"parameters", count.total()},
                          {"active", count.active}});
    }
    return nlohmann::ordered_json{{"command", "models"}, {"models", std::move(models)}}.dump() + "\n";
}

}  // namespace

int run_models(int argc, const char* const* argv) {
    Outputs outputs;
    if (!take_options(executable, output_rows(outputs, {.table = "a row for each model"}), argc, argv)) {
        return done;
    }
    check_outputs(outputs);
    write_outputs(outputs, {.text = text_of_models, .json = json_of_models, .table = table_of_models});
    return done;
}

}  // namespace sim::tools
