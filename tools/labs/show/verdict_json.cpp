// The verdict for programs. Gradescope reads score, output and tests, Autolab scores; the rest is ours.
#include "tools/labs/divergence.hpp"
#include "tools/labs/show/verdict_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sim::labs {

namespace {

using Json = nlohmann::ordered_json;

Json test_of(const Check& check, std::size_t at) {
    return {{"name", fmt::format("case {}: {}", at + 1, name_of(check.aspect))},
            {"score", check.ok ? 1 : 0},
            {"max_score", 1},
            {"status", check.ok ? "passed" : "failed"},
            {"output", fmt::format("expected {}; found {}: {}", check.expected, check.found, check.why)}};
}

Json waiting_of(const Record& found) {
    Json waiting = Json::array();
    if (!found.fault) {
        return waiting;
    }
    for (std::size_t i = 0; i < found.fault->ops.size(); ++i) {
        const kernel::WrongOp& op = found.fault->ops[i];
        const lab::Line line = i < found.lines.size() ? found.lines[i] : lab::Line{};
        waiting.push_back({{"rank", op.rank},
                           {"op", op.op_number},
                           {"what", op.what},
                           {"why", op.why},
                           {"waits_for", op.waits_for},
                           {"file", line.file},
                           {"line", line.number}});
    }
    return waiting;
}

Json prediction_of(const Verdict& verdict) {
    if (!verdict.prediction) {
        return nullptr;
    }
    const PredictionVerdict& told = *verdict.prediction;
    return {{"question", verdict.lab->prediction.question},
            {"predicted", told.predicted},
            {"truth", told.truth},
            {"ratio", told.ratio},
            {"within", told.within}};
}

Json head_of(const Desk& desk) {
    return {{"lab", desk.lab->number},
            {"name", desk.lab->folder},
            {"language", name_of(desk.language)},
            {"seed", desk.seed}};
}

std::string one_line(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_of(const Verdict& verdict, const Desk& desk) {
    Json json = head_of(desk);
    Json tests = Json::array();
    Json scores = Json::object();
    for (std::size_t i = 0; i < verdict.cases.size(); ++i) {
        for (const Check& check : verdict.cases[i].checks) {
            tests.push_back(test_of(check, i));
            Json& score = scores[name_of(check.aspect)];
            score = (score.is_null() ? 0 : score.get<int>()) + (check.ok ? 1 : 0);
        }
    }
    const CaseVerdict& shown = verdict.shown();
    const std::optional<Divergence> divergence = first_divergence(shown.found, shown.reference);
    json["passed"] = verdict.passed();
    json["score"] = verdict.points();
    json["max_score"] = verdict.most_points();
    json["output"] = verdict.diagnosis ? verdict.diagnosis->text : verdict.passed() ? "passed" : "not passed";
    json["mistake"] = verdict.diagnosis ? Json(verdict.diagnosis->mistake) : Json();
    json["prediction"] = prediction_of(verdict);
    json["divergence"] = divergence ? Json(divergence->text) : Json();
    json["fault"] = shown.found.fault ? Json(shown.found.fault->message) : Json();
    json["waiting"] = waiting_of(shown.found);
    json["tests"] = tests;
    json["scores"] = scores;
    return one_line(json);
}

std::string json_of_trouble(const Lab& lab, const Desk& desk, const std::string& trouble) {
    Json json = head_of(desk);
    int most = 0;
    for (const Case& each : lab.cases(desk.seed)) {
        const Record reference = play_here(each, lab.solution);
        most += static_cast<int>(lab.grade(each, reference, reference).size());
    }
    json["passed"] = false;
    json["score"] = 0;
    json["max_score"] = most;
    json["output"] = trouble;
    json["mistake"] = nullptr;
    json["prediction"] = nullptr;
    json["divergence"] = nullptr;
    json["fault"] = trouble;
    json["waiting"] = Json::array();
    json["tests"] = Json::array();
    json["scores"] = Json::object();
    return one_line(json);
}

}  // namespace sim::labs
