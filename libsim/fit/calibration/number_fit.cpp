#include "libsim/fit/calibration/number_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sim::fit {

namespace {

constexpr double of_interval = 2;       // standard errors: 95 %
constexpr double known_well = 0.05;     // share of the value
constexpr double known_roughly = 0.30;  // beyond this, the number is not known
constexpr double least_effect = 1e-4;   // relative change of some measurement when the number changes by a quarter
constexpr double takes_part = 0.3;      // in a direction: as a share of its largest component
constexpr double most_in_doubt = 0.69;  // a factor of 2, the largest error assumed of a shipped value
constexpr double not_known = 1e3;

using Indices = std::vector<std::size_t>;

class Fitter {
public:
    explicit Fitter(const NumberFit& fit) : fit_(fit) {
        for (const CalibratedNumber* number : fit.candidates) {
            const double value = fit.values(*number);
            numbers_.push_back({.number = number, .before = value, .value = value, .with = {}, .source = {}});
        }
    }

    std::vector<FoundNumber> run() {
        leave_out_what_nothing_depends_on();
        Indices open(numbers_.size());
        std::iota(open.begin(), open.end(), 0U);
        while (!open.empty()) {
            const LeastSquares best = fit_open(open);
            const Vector half_widths = half_widths_of(best, open.size());
            const double worst = *std::max_element(half_widths.begin(), half_widths.end());
            if (worst <= known_roughly && open.size() <= fit_.most_numbers) {
                finish(best, open, half_widths);
                break;
            }
            keep_one(best, open, half_widths);
        }
        return numbers_;
    }

private:
    LeastSquares fit_open(const Indices& open) const {
        std::vector<BoundedNumber> bounded;
        std::vector<const CalibratedNumber*> which;
        for (const std::size_t i : open) {
            const CalibratedNumber& number = *numbers_[i].number;
            which.push_back(&number);
            bounded.push_back({numbers_[i].before, lowest_of(number), highest_of(number)});
        }
        return least_squares(bounded, [&](const Vector& values) { return fit_.residuals(which, values); });
    }

    void leave_out_what_nothing_depends_on() {
        std::vector<const CalibratedNumber*> which;
        Vector values;
        for (const FoundNumber& one : numbers_) {
            which.push_back(one.number);
            values.push_back(one.before);
        }
        const Vector here = fit_.residuals(which, values);
        std::vector<FoundNumber> left;
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            double most = 0;
            // Both ways: a number at its bound can move only one way, and an effect hidden below a maximum may show
            // only further away.
            for (const double factor : {1.25, 0.8}) {
                Vector changed = values;
                changed[i] = std::clamp(values[i] * factor, lowest_of(*which[i]), highest_of(*which[i]));
                const Vector there = fit_.residuals(which, changed);
                for (std::size_t k = 0; k < here.size(); ++k) {
                    most = std::max(most, std::abs(there[k] - here[k]));
                }
            }
            if (most > least_effect) {
                left.push_back(numbers_[i]);
                left.back().source = fit_.source;
            }
        }
        numbers_ = std::move(left);
    }

    // Half-widths of the 95 % intervals, as logarithms.
    static Vector half_widths_of(const LeastSquares& best, std::size_t count) {
        Indices all(count);
        std::iota(all.begin(), all.end(), 0U);
        const Matrix normal = normal_matrix(best, all);
        Vector widths;
        for (std::size_t j = 0; j < count; ++j) {
            Vector unit(count, 0);
            unit[j] = 1;
            Vector column;
            const bool solved = normal[j][j] > 0 && solve(normal, unit, column) && column[j] > 0;
            widths.push_back(solved ? std::min(of_interval * best.noise * std::sqrt(column[j]), not_known) : not_known);
        }
        return widths;
    }

    // Keeps the number with the largest part in the weakest direction; it trades off with the others in it.
    void keep_one(const LeastSquares& best, Indices& open, const Vector& half_widths) {
        Indices all(open.size());
        std::iota(all.begin(), all.end(), 0U);
        const Eigen eigen = eigen_of(normal_matrix(best, all));
        const Vector& weakest = eigen.vectors.front();
        std::size_t largest = 0;
        for (std::size_t j = 1; j < weakest.size(); ++j) {
            largest = std::abs(weakest[j]) > std::abs(weakest[largest]) ? j : largest;
        }
        FoundNumber& kept = numbers_[open[largest]];
        kept.uncertainty = half_widths[largest];
        for (std::size_t j = 0; j < weakest.size(); ++j) {
            if (j != largest && std::abs(weakest[j]) > takes_part * std::abs(weakest[largest])) {
                kept.with.emplace_back(numbers_[open[j]].number->name);
            }
        }
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(largest));
    }

    void finish(const LeastSquares& best, const Indices& open, const Vector& half_widths) {
        for (std::size_t j = 0; j < open.size(); ++j) {
            FoundNumber& found = numbers_[open[j]];
            found.value = best.values[j];
            found.uncertainty = half_widths[j];
            found.finding = half_widths[j] <= known_well ? Finding::found : Finding::rough;
            found.with.clear();
            found.at_bound =
                found.value <= lowest_of(*found.number) * 1.0001 || found.value >= highest_of(*found.number) * 0.9999;
        }
        tie(open);
        correlate(best, open);
    }

    // Ties a found number to each kept number whose error would change it: it is known only together with that one.
    void tie(const Indices& open) {
        std::vector<const CalibratedNumber*> which;
        Vector values;
        for (const FoundNumber& one : numbers_) {
            which.push_back(one.number);
            values.push_back(one.value);
        }
        const LeastSquares here = derivatives(which, values);
        const Matrix normal = normal_matrix(here, open);
        for (std::size_t kept = 0; kept < numbers_.size(); ++kept) {
            if (numbers_[kept].finding != Finding::kept) {
                continue;
            }
            Vector right;
            for (const std::size_t j : open) {
                double sum = 0;
                for (std::size_t i = 0; i < here.residuals.size(); ++i) {
                    sum -= here.jacobian[i][j] * here.jacobian[i][kept];
                }
                right.push_back(sum);
            }
            Vector change;
            if (!solve(normal, right, change)) {
                continue;
            }
            const double doubt = std::min(numbers_[kept].uncertainty, most_in_doubt);
            for (std::size_t j = 0; j < open.size(); ++j) {
                FoundNumber& found = numbers_[open[j]];
                if (std::abs(change[j]) * doubt > known_well) {
                    found.finding = Finding::tied;
                    const double added = change[j] * doubt;
                    found.uncertainty = std::sqrt(found.uncertainty * found.uncertainty + added * added);
                    found.with.emplace_back(numbers_[kept].number->name);
                }
            }
        }
    }

    LeastSquares derivatives(const std::vector<const CalibratedNumber*>& which, const Vector& values) const {
        LeastSquares here;
        here.residuals = fit_.residuals(which, values);
        here.weights.assign(here.residuals.size(), 1);
        here.jacobian.assign(here.residuals.size(), Vector(which.size(), 0));
        for (std::size_t j = 0; j < which.size(); ++j) {
            Vector changed = values;
            changed[j] *= values[j] * 1.001 <= highest_of(*which[j]) ? 1.001 : 0.999;
            const double change = std::log(changed[j] / values[j]);
            const Vector there = fit_.residuals(which, changed);
            for (std::size_t i = 0; i < there.size(); ++i) {
                here.jacobian[i][j] = (there[i] - here.residuals[i]) / change;
            }
        }
        return here;
    }

    // Notes pairs whose product or quotient the measurements determine better than either number.
    void correlate(const LeastSquares& best, const Indices& open) {
        constexpr double strongly = 0.9;
        Indices all(open.size());
        std::iota(all.begin(), all.end(), 0U);
        const Matrix normal = normal_matrix(best, all);
        Matrix covariance;
        for (std::size_t j = 0; j < open.size(); ++j) {
            Vector unit(open.size(), 0);
            unit[j] = 1;
            Vector column;
            if (!solve(normal, unit, column)) {
                return;
            }
            covariance.push_back(column);
        }
        for (std::size_t j = 0; j < open.size(); ++j) {
            for (std::size_t k = 0; k < open.size(); ++k) {
                const double correlation = covariance[j][k] / std::sqrt(covariance[j][j] * covariance[k][k]);
                if (j != k && std::abs(correlation) > strongly) {
                    numbers_[open[j]].with.emplace_back(numbers_[open[k]].number->name);
                }
            }
        }
    }

    const NumberFit& fit_;
    std::vector<FoundNumber> numbers_;
};

}  // namespace

std::vector<FoundNumber> fit_numbers(const NumberFit& fit) {
    return Fitter(fit).run();
}

}  // namespace sim::fit
