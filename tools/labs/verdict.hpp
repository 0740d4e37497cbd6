// A verdict is the grader's judgement of a learner's program: every check of every case, the diagnosis of its mistake,
// and a comparison with the prediction.
#pragma once

#include "tools/labs/diagnose.hpp"
#include "tools/labs/lab.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace sim::labs {

// The result of one case.
struct CaseVerdict {
    Case played;
    Record found;
    Record reference;
    std::vector<Check> checks;
    bool is_gated = false;  // a check of the lab's gates is wrong

    bool passed() const;
};

// The points of a right check, by aspect.
struct Weights {
    std::array<double, all_aspects.size()> of{1, 1, 1, 1, 1, 1};

    double operator[](Aspect aspect) const { return of[static_cast<std::size_t>(aspect)]; }
};

struct PredictionVerdict {
    std::string typed;     // "16us"
    double predicted = 0;  // in the quantity's unit
    double truth = 0;
    double ratio = 0;  // predicted / truth
    bool within = false;
    std::string hint = {};  // the wrong formula or unit behind it; empty: unknown
    // The same as above once the learner may know them: when the lab is passed, or after three predictions.
    std::optional<double> told_truth = {};
    std::optional<double> told_ratio = {};

    void reveal();
};

struct Verdict {
    const Lab* lab = nullptr;
    std::uint64_t seed = 0;
    std::vector<CaseVerdict> cases;
    std::optional<Diagnosis> diagnosis;           // the known mistake
    std::vector<std::string> findings;            // how the results differ; of a known mistake only a wrong formula
    std::optional<PredictionVerdict> prediction;  // the first, which counts
    std::optional<PredictionVerdict> last_prediction;

    bool passed() const;
    // The case to show: the first that is not right, else the first.
    const CaseVerdict& shown() const;
    // Whether a check earns its points: it is right, and so are the gates, or it is one itself.
    bool earns(const CaseVerdict& of, const Check& check) const;
    // Over all checks of all cases.
    double points(const Weights& weights = {}) const;
    double most_points(const Weights& weights = {}) const;
};

// Requires: a record for each case of the seed.
Verdict grade(const Lab& lab, std::uint64_t seed, const std::vector<Record>& records);

// The runs made for a learner: their program in each case; for a script also its solution and each of its mistakes,
// which are skipped if the learner's script leaves the same as the solution.
struct Plays {
    std::vector<Record> records = {};
    std::vector<Record> references = {};
    std::vector<std::vector<Record>> mistaken = {};
};
Verdict grade(const Lab& lab, std::uint64_t seed, const Plays& plays);

// "16us", "0.016 ms", "1.5 MB", "37.5 %", "2.5x": the number in the quantity's own unit. Throws UsageError.
double read_prediction(Quantity quantity, const std::string& typed);
std::string text_of(Quantity quantity, double value);
PredictionVerdict compare_prediction(const Lab& lab, std::uint64_t seed, const std::string& typed);

}  // namespace sim::labs
