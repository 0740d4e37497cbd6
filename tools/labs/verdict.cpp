#include "tools/labs/verdict.hpp"

#include "libsim/config/errors.hpp"
#include "tools/labs/checks.hpp"
#include "tools/labs/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace sim::labs {

namespace {

Check did_not_end(const Record& found) {
    const std::string& message = found.fault->message;
    return {.aspect = Aspect::ran,
            .ok = false,
            .expected = "every rank comes to its end",
            .found = message.substr(0, message.find('\n')),
            .why = "a run is graded once every rank comes to its end"};
}

bool is_gate(const Lab& lab, Aspect aspect) {
    return std::find(lab.gates.begin(), lab.gates.end(), aspect) != lab.gates.end();
}

CaseVerdict grade_case(const Lab& lab, const Case& played, const Record& found, Record reference) {
    CaseVerdict verdict{.played = played, .found = found, .reference = std::move(reference)};
    verdict.checks = found.ok() ? lab.grade(played, found, verdict.reference) : std::vector<Check>{did_not_end(found)};
    verdict.is_gated = std::any_of(verdict.checks.begin(), verdict.checks.end(),
                                   [&](const Check& check) { return is_gate(lab, check.aspect) && !check.ok; });
    return verdict;
}

void add_findings(Verdict& verdict) {
    verdict.findings = verdict.diagnosis ? slips_of(verdict) : findings_of(verdict);
}

struct Suffix {
    std::string_view text;
    double factor;
};

// Learners round: two digits and more.
constexpr double rounded = 0.01;

std::string hint_for(const Lab& lab, const Case& played, const PredictionVerdict& verdict) {
    for (const Slip& slip : lab.slips == nullptr ? std::vector<Slip>() : lab.slips(played)) {
        if (slip.report.empty() && same_number(slip.value, verdict.predicted, rounded)) {
            return slip.says;
        }
    }
    const double tolerance = lab.prediction.tolerance;
    if (lab.prediction.quantity == Quantity::percent && verdict.predicted <= 1) {
        return fmt::format("That is less than 1 %; did you mean {:.4g} %?", 100 * verdict.predicted);
    }
    for (const double unit : {1e3, 1e6, 1e9}) {
        if (std::abs(verdict.ratio * unit - 1) <= tolerance || std::abs(verdict.ratio / unit - 1) <= tolerance) {
            return "It is off by a power of 1000: look at the unit.";
        }
    }
    if (std::abs(8 * verdict.ratio - 1) <= tolerance && lab.prediction.quantity == Quantity::bytes) {
        return "It is 8 times too small: a number has 8 bytes.";
    }
    return "";
}

double number_with_unit(const std::string& typed, std::span<const Suffix> units, const char* wanted) {
    char* end = nullptr;
    const double number = std::strtod(typed.c_str(), &end);
    std::string unit(end);
    std::erase(unit, ' ');
    const auto found = std::find_if(units.begin(), units.end(), [&](const Suffix& each) { return each.text == unit; });
    if (end == typed.c_str() || found == units.end() || !std::isfinite(number) || number < 0) {
        throw config::UsageError(fmt::format("--predict must be {}, not {}", wanted, config::shortened(typed)));
    }
    return number * found->factor;
}

}  // namespace

bool CaseVerdict::passed() const {
    return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.ok; });
}

bool Verdict::passed() const {
    return std::all_of(cases.begin(), cases.end(), [](const CaseVerdict& each) { return each.passed(); });
}

const CaseVerdict& Verdict::shown() const {
    const auto wrong = std::find_if(cases.begin(), cases.end(), [](const CaseVerdict& each) { return !each.passed(); });
    return wrong == cases.end() ? cases.front() : *wrong;
}

bool Verdict::earns(const CaseVerdict& of, const Check& check) const {
    return check.ok && (!of.is_gated || is_gate(*lab, check.aspect));
}

double Verdict::points(const Weights& weights) const {
    double sum = 0;
    for (const CaseVerdict& each : cases) {
        for (const Check& check : each.checks) {
            sum += earns(each, check) ? weights[check.aspect] : 0;
        }
    }
    return sum;
}

// A run that broke off has only one check instead of all the reference's checks.
double Verdict::most_points(const Weights& weights) const {
    double sum = 0;
    for (const CaseVerdict& each : cases) {
        for (const Check& check : lab->grade(each.played, each.reference, each.reference)) {
            sum += weights[check.aspect];
        }
    }
    return sum;
}

Verdict grade(const Lab& lab, std::uint64_t seed, const std::vector<Record>& records) {
    Verdict verdict{.lab = &lab, .seed = seed};
    const std::vector<Case> cases = lab.cases(seed);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        verdict.cases.push_back(grade_case(lab, cases[i], records[i], play_here(cases[i], lab.solution)));
    }
    if (!verdict.passed()) {
        verdict.diagnosis = diagnose(lab, cases, records);
        add_findings(verdict);
    }
    return verdict;
}

Verdict grade(const Lab& lab, std::uint64_t seed, const Plays& plays) {
    if (!lab.is_script()) {
        return grade(lab, seed, plays.records);
    }
    Verdict verdict{.lab = &lab, .seed = seed};
    const std::vector<Case> cases = lab.cases(seed);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        verdict.cases.push_back(grade_case(lab, cases[i], plays.records[i], plays.references[i]));
    }
    if (!verdict.passed()) {
        verdict.diagnosis = diagnose_script(lab, cases, plays.records, plays.mistaken);
        add_findings(verdict);
    }
    return verdict;
}

double read_prediction(Quantity quantity, const std::string& typed) {
    // Both signs for micro: U+00B5 and U+03BC.
    static constexpr auto times = std::to_array<Suffix>({{"s", 1},
                                                         {"sec", 1},
                                                         {"second", 1},
                                                         {"seconds", 1},
                                                         {"ms", 1e-3},
                                                         {"msec", 1e-3},
                                                         {"us", 1e-6},
                                                         {"usec", 1e-6},
                                                         {"\u00b5s", 1e-6},
                                                         {"\u03bcs", 1e-6},
                                                         {"ns", 1e-9},
                                                         {"ps", 1e-12},
                                                         {"min", 60},
                                                         {"h", 3600}});
    static constexpr auto sizes = std::to_array<Suffix>({{"B", 1},
                                                         {"byte", 1},
                                                         {"bytes", 1},
                                                         {"kB", 1e3},
                                                         {"KB", 1e3},
                                                         {"k", 1e3},
                                                         {"MB", 1e6},
                                                         {"M", 1e6},
                                                         {"GB", 1e9},
                                                         {"G", 1e9},
                                                         {"TB", 1e12},
                                                         {"KiB", 1024},
                                                         {"MiB", 1048576},
                                                         {"GiB", 1073741824}});
    static constexpr auto percents = std::to_array<Suffix>({{"%", 1}, {"", 1}, {"percent", 1}});
    static constexpr auto numbers = std::to_array<Suffix>({{"", 1}, {"x", 1}, {"times", 1}});
    switch (quantity) {
        case Quantity::seconds: return number_with_unit(typed, times, "a time, such as 16us or 1.5ms");
        case Quantity::bytes: return number_with_unit(typed, sizes, "an amount, such as 24kB or 1.5MB");
        case Quantity::percent: return number_with_unit(typed, percents, "a share in percent, such as 37.5%");
        case Quantity::number: return number_with_unit(typed, numbers, "a number, such as 24");
    }
    return 0;
}

std::string text_of(Quantity quantity, double value) {
    switch (quantity) {
        case Quantity::seconds: return text_of(Duration{std::llround(value * 1e12)});
        case Quantity::bytes: return text_of_bytes(std::llround(value));
        case Quantity::percent: return fmt::format("{:.4g} %", value);
        case Quantity::number: return fmt::format("{:.6g}", value);
    }
    return "";
}

PredictionVerdict compare_prediction(const Lab& lab, std::uint64_t seed, const std::string& typed) {
    const Case played = lab.cases(seed).front();
    PredictionVerdict verdict{.typed = typed, .predicted = read_prediction(lab.prediction.quantity, typed)};
    verdict.truth = lab.prediction.truth(played, reference_here(lab, played));
    verdict.ratio = verdict.truth == 0 ? (verdict.predicted == 0 ? 1 : 0) : verdict.predicted / verdict.truth;
    verdict.within = std::abs(verdict.ratio - 1) <= lab.prediction.tolerance;
    verdict.hint = verdict.within ? "" : hint_for(lab, played, verdict);
    return verdict;
}

void PredictionVerdict::reveal() {
    told_truth = truth;
    told_ratio = ratio;
}

}  // namespace sim::labs
