#include "libsim/explain/train/memory_report.hpp"

#include "libsim/explain/train/sections.hpp"
#include "libsim/predict/json.hpp"
#include "libsim/report/amounts.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace predict;

namespace {

constexpr std::size_t chart_width = 72;

using Json = nlohmann::ordered_json;

std::string states_line(const TrainingCase& what) {
    const training::StateBytes bytes = training::state_bytes(what.layout, what.layout.replicas());
    return fmt::format(
        "  a parameter of a dense layer takes {:.4g} + {:.4g} + {:.4g} bytes (itself, gradient, optimizer)\n",
        bytes.parameters, bytes.gradients, bytes.optimizer);
}

}  // namespace

std::string text_of(const MemoryReport& report) {
    std::string text = title_of(report.what) + fmt::format("\n  memory      {}\n", memory_line(report.memory)) +
                       memory_table(report.memory) + states_line(report.what);
    if (!report.steps.empty()) {
        text += fmt::format(
                    "\nA rank of stage {} over the {} steps of its schedule; # states, buffers and reserve, + "
                    "activations and working memory\n",
                    report.stage, report.steps.size()) +
                memory_chart(report.steps, report.memory.capacity, chart_width);
    }
    text += "\nAssumptions\n";
    for (const std::string& told : report.what.told) {
        text += fmt::format("  {}\n", told);
    }
    return text + "GB = 10^9 bytes\n";
}

std::string json_of(const MemoryReport& report) {
    Json object{{"command", "memory"}};
    add_case(object, report.what);
    object["memory"] = predict::json_of(report.memory);
    object["stage"] = report.stage;
    object["over_time"] = Json::array();
    for (const training::MemoryAt& at : report.steps) {
        Json one{{"step", at.step}};
        one.update(predict::json_of(at.use));
        object["over_time"].push_back(std::move(one));
    }
    object["derived"] = report.what.told;
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

report::Table memory_over_stages(const TrainingCase& what) {
    report::Table table{.columns = {{"stage"},
                                    {"number"},
                                    {"step", report::Cells::words},
                                    {"parameters"},
                                    {"gradients"},
                                    {"optimizer"},
                                    {"activations"},
                                    {"working"},
                                    {"buffers"},
                                    {"reserve"},
                                    {"total"}},
                        .rows = {}};
    for (int stage = 0; stage < what.layout.parallelism.pp; ++stage) {
        int number = 0;
        for (const training::MemoryAt& at : training::memory_over_time(what.model, what.machine, what.layout, stage)) {
            const training::MemoryUse& use = at.use;
            std::vector<std::string> row{std::to_string(stage), std::to_string(number++), at.step};
            for (const std::int64_t bytes : {use.parameters, use.gradients, use.optimizer, use.activations, use.working,
                                             use.buffers, use.reserve, use.total()}) {
                row.push_back(std::to_string(bytes));
            }
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

}  // namespace sim::explain
