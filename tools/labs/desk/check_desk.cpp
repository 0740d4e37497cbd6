#include "tools/labs/desk/check_desk.hpp"

#include "tools/labs/desk/child_words.hpp"
#include "tools/labs/desk/play.hpp"
#include "tools/labs/desk/seal.hpp"

namespace sim::labs {

Checked check_desk(const Desk& desk, ranks::Host host) {
    const Played played = play(desk, desk.lab->cases(desk.seed), host);
    if (!played.trouble.empty()) {
        return {.trouble = played.trouble, .verdict = std::nullopt};
    }
    Verdict verdict = grade(*desk.lab, desk.seed, played.plays);
    if (!desk.predictions.empty()) {
        verdict.prediction = compare_prediction(*desk.lab, desk.seed, desk.predictions.front());
        verdict.last_prediction = compare_prediction(*desk.lab, desk.seed, desk.predictions.back());
        if (verdict.passed() || desk.may_know_answer()) {
            verdict.prediction->reveal();
            verdict.last_prediction->reveal();
        }
    }
    return {.trouble = "", .verdict = std::move(verdict)};
}

void remember(Desk& desk, const Verdict& verdict) {
    const CaseVerdict& own = verdict.cases.front();
    desk.attempts.push_back(
        {.passed = verdict.passed(),
         .points = static_cast<int>(verdict.points()),
         .most_points = static_cast<int>(verdict.most_points()),
         .mistake = verdict.diagnosis ? verdict.diagnosis->mistake : "",
         .value = verdict.passed() && desk.lab->board ? desk.lab->board->value(own.played, own.found) : 0,
         .program = digest_of(text_in(desk.file()))});
}

}  // namespace sim::labs
