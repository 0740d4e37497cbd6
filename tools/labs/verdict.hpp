// A verdict is what the grader says of a learner's program: every check of every case, the diagnosis of what is wrong,
// and how the prediction compares.
#pragma once

#include "tools/labs/diagnose.hpp"
#include "tools/labs/lab.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::labs {

// What one case came to.
struct CaseVerdict {
    Case played;
    Record found;
    Record reference;
    std::vector<Check> checks;

    bool passed() const;
};

struct PredictionVerdict {
    std::string typed;     // "16us"
    double predicted = 0;  // in the quantity's unit
    double truth = 0;
    double ratio = 0;  // predicted / truth
    bool within = false;
};

struct Verdict {
    const Lab* lab = nullptr;
    std::uint64_t seed = 0;
    std::vector<CaseVerdict> cases;
    std::optional<Diagnosis> diagnosis;
    std::optional<PredictionVerdict> prediction;

    bool passed() const;
    // The first case that is not right, or the first: the one to look at.
    const CaseVerdict& shown() const;
    // Of all checks of all cases, one point each.
    int points() const;
    int most_points() const;
};

// Requires: a record for each case of the seed.
Verdict grade(const Lab& lab, std::uint64_t seed, const std::vector<Record>& records);

// "16us", "1.5 MB", "37.5 %", "24": the number in the quantity's own unit. Throws UsageError.
double read_prediction(Quantity quantity, const std::string& typed);
std::string text_of(Quantity quantity, double value);
PredictionVerdict compare_prediction(const Lab& lab, std::uint64_t seed, const std::string& typed);

}  // namespace sim::labs
