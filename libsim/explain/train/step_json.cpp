#include "libsim/explain/train/sections.hpp"
#include "libsim/predict/json.hpp"

namespace sim::explain {

using namespace predict;

namespace {

using Json = nlohmann::ordered_json;

Json communication_of(const Prediction& step) {
    Json list = Json::array();
    for (const CommunicationUse& use : step.communication) {
        const double alone = use.seconds_alone;
        list.push_back({{"what", use.what},
                        {"group", name_of(use.group)},
                        {"count", use.count},
                        {"bytes", use.bytes},
                        {"members", use.members},
                        {"across_nodes", use.across_nodes},
                        {"algorithm", use.algorithm},
                        {"seconds_alone", alone},
                        {"exposed_seconds", use.exposed_seconds},
                        {"algbw", alone > 0 ? static_cast<double>(use.bytes) / alone : 0},
                        {"busbw", use.bus_bandwidth},
                        {"share_of_link", use.link_share}});
    }
    return list;
}

Json path_of(const std::vector<PathPiece>& path) {
    Json list = Json::array();
    for (const PathPiece& piece : path) {
        Json one{{"rank", piece.rank}};
        if (piece.to >= 0) {
            one["to"] = piece.to;
        }
        one["what"] = piece.what;
        one["begin_seconds"] = seconds(piece.begin);
        one["end_seconds"] = seconds(piece.end);
        list.push_back(std::move(one));
    }
    return list;
}

Json path_sum_of(const std::vector<PathPiece>& path) {
    Json list = Json::array();
    for (const PathSum& sum : summed(path)) {
        list.push_back({{"what", training::label_of(sum.part.work)},
                        {"is_message", sum.message},
                        {"times", sum.part.times},
                        {"seconds", seconds(sum.part.length)},
                        {"ranks", sum.ranks},
                        {"busiest_rank", sum.busiest},
                        {"seconds_on_busiest", seconds(sum.on_busiest)}});
    }
    return list;
}

Json advice_of(const AdviceList& advice) {
    Json list = Json::array();
    for (const Advice& one : advice.tried) {
        list.push_back({{"options", typed(one.change)},
                        {"what", one.text},
                        {"step_seconds", one.step_seconds},
                        {"gain", one.gain},
                        {"memory", one.memory}});
    }
    return {{"tried", std::move(list)}, {"do_not_fit", advice.too_large}, {"impossible", advice.impossible}};
}

Json pipeline_of(const StepReport& report) {
    const training::Layout& layout = report.what.layout;
    Json object{{"schedule", layout.parallelism.schedule->name}, {"bubble_fraction", report.step.bubble_fraction}};
    const auto bubble = layout.parallelism.schedule->bubble;
    object["closed_form_bubble_fraction"] =
        bubble == nullptr ? Json(nullptr) : Json(bubble(layout.pipeline_shape()).share);
    return object;
}

}  // namespace

std::string json_of(const StepReport& report) {
    const Prediction& step = report.step;
    Json object{{"command", "train"}};
    add_case(object, report.what);
    object["given"] = Json::parse(config::json_text(report.given));
    object["step_seconds"] = seconds(step.step);
    object["step_seconds_low"] = step.range.lowest;
    object["step_seconds_high"] = step.range.highest;
    object["tokens_per_second"] = step.tokens_per_second;
    object["tokens_per_second_per_gpu"] = step.tokens_per_second / report.what.gpus();
    object["mfu"] = step.mfu;
    object["model_flops_per_second_per_gpu"] = step.flops_per_second;
    object["peak_flops_per_second_per_gpu"] = step.peak_flops;
    object["hfu"] = step.hfu;
    object["hfu_without_masked"] = step.hfu_without_masked;
    object["breakdown"] = predict::json_of(step.budget);
    object["limiter"] = limiter(step.budget);
    object["stages"] = Json::array();
    for (const Budget& budget : step.stage_budgets) {
        object["stages"].push_back(predict::json_of(budget));
    }
    object["memory"] = predict::json_of(step.memory);
    object["communication"] = communication_of(step);
    object["pipeline"] = pipeline_of(report);
    object["critical_path"] = path_of(shortened(report.path, 100));
    object["critical_path_sum"] = path_sum_of(report.path);
    object["sensitivities"] = Json::array();
    for (const Sensitivity& one : report.sensitivities) {
        object["sensitivities"].push_back(
            {{"ten_percent_more", one.what}, {"step_seconds", one.step_seconds}, {"change", one.change}});
    }
    object["advice"] = advice_of(report.advice);
    object["price"] = report.what.price;
    object["cost_per_step"] = predict::json_of(report.per_step);
    object["cost_per_trillion_tokens"] = predict::json_of(report.per_trillion_tokens);
    object["cost_of_run"] = report.run ? predict::json_of(*report.run) : Json(nullptr);
    object["faults"] = Json::array();
    for (const faults::Injection& one : report.faults) {
        object["faults"].push_back(to_text(one));
    }
    object["undisturbed_step_seconds"] = seconds(report.undisturbed);
    object["derived"] = report.what.told;
    object["simulated_ranks"] = step.simulated_ranks;
    object["ops"] = step.ops;
    object["timeline_sha256"] = step.timeline_sha256;
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sim::explain
