#include "libsim/fit/calibration/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sim::fit {

namespace {

constexpr double huber_knee = 1.345;  // 95 % as efficient as plain least squares if there are no outliers
constexpr int most_iterations = 40;

double clamped(const BoundedNumber& number, double value) {
    return std::clamp(value, std::max(number.lowest, 1e-30), number.highest);
}

// A robust standard deviation: half of all normal residuals are below 0.6745 times theirs.
double usual_size(const Vector& residuals) {
    Vector sizes;
    for (const double r : residuals) {
        sizes.push_back(std::abs(r));
    }
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    return std::max(*middle / 0.6745, 1e-9);
}

Vector huber_weights(const Vector& residuals) {
    const double knee = huber_knee * usual_size(residuals);
    Vector weights;
    for (const double r : residuals) {
        weights.push_back(std::abs(r) <= knee ? 1 : knee / std::abs(r));
    }
    return weights;
}

double weighted_sum(const Vector& residuals, const Vector& weights) {
    double sum = 0;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        sum += weights[i] * residuals[i] * residuals[i];
    }
    return sum;
}

class DampedSearch {
public:
    DampedSearch(const std::vector<BoundedNumber>& numbers, const Residuals& residuals)
        : numbers_(numbers), function_(residuals) {
        for (const BoundedNumber& number : numbers) {
            fit_.values.push_back(clamped(number, number.value));
        }
        fit_.residuals = function_(fit_.values);
    }

    LeastSquares run() {
        double damping = 1e-3;
        for (int i = 0; i < most_iterations; ++i) {
            fit_.weights = huber_weights(fit_.residuals);
            differentiate();
            const double before = weighted_sum(fit_.residuals, fit_.weights);
            bool better = false;
            for (; !better && damping < 1e9; damping *= better ? 0.1 : 10) {
                better = step(damping, before);
            }
            if (!better || before - weighted_sum(fit_.residuals, fit_.weights) < 1e-9 * before) {
                break;
            }
        }
        fit_.weights = huber_weights(fit_.residuals);
        differentiate();
        const double degrees = static_cast<double>(fit_.residuals.size()) - static_cast<double>(numbers_.size());
        fit_.noise = std::sqrt(weighted_sum(fit_.residuals, fit_.weights) / std::max(degrees, 1.0));
        return fit_;
    }

private:
    // Takes differences upwards, or downwards at the upper bound, so that values stay within bounds.
    void differentiate() {
        constexpr double width = 1e-3;
        fit_.jacobian.assign(fit_.residuals.size(), Vector(numbers_.size(), 0));
        for (std::size_t j = 0; j < numbers_.size(); ++j) {
            Vector values = fit_.values;
            const bool up = values[j] * (1 + width) <= numbers_[j].highest;
            values[j] *= up ? 1 + width : 1 - width;
            const double change = std::log(values[j] / fit_.values[j]);
            const Vector there = function_(values);
            for (std::size_t i = 0; i < there.size(); ++i) {
                fit_.jacobian[i][j] = (there[i] - fit_.residuals[i]) / change;
            }
        }
    }

    bool step(double damping, double before) {
        std::vector<std::size_t> all(numbers_.size());
        std::iota(all.begin(), all.end(), 0U);
        Matrix a = normal_matrix(fit_, all);
        Vector b(numbers_.size(), 0);
        for (std::size_t j = 0; j < numbers_.size(); ++j) {
            a[j][j] += damping * a[j][j] + 1e-9;
            for (std::size_t i = 0; i < fit_.residuals.size(); ++i) {
                b[j] -= fit_.jacobian[i][j] * fit_.weights[i] * fit_.residuals[i];
            }
        }
        Vector change;
        if (!solve(a, b, change)) {
            return false;
        }
        Vector values = fit_.values;
        for (std::size_t j = 0; j < numbers_.size(); ++j) {
            // At most by a factor of e: the derivative means nothing further away.
            values[j] = clamped(numbers_[j], values[j] * std::exp(std::clamp(change[j], -1.0, 1.0)));
        }
        const Vector there = function_(values);
        if (!(weighted_sum(there, fit_.weights) < before)) {
            return false;
        }
        fit_.values = values;
        fit_.residuals = there;
        return true;
    }

    const std::vector<BoundedNumber>& numbers_;
    const Residuals& function_;
    LeastSquares fit_;
};

}  // namespace

LeastSquares least_squares(const std::vector<BoundedNumber>& numbers, const Residuals& residuals) {
    return DampedSearch(numbers, residuals).run();
}

Matrix normal_matrix(const LeastSquares& fit, const std::vector<std::size_t>& numbers) {
    Matrix a(numbers.size(), Vector(numbers.size(), 0));
    for (std::size_t i = 0; i < fit.residuals.size(); ++i) {
        for (std::size_t j = 0; j < numbers.size(); ++j) {
            for (std::size_t k = 0; k < numbers.size(); ++k) {
                a[j][k] += fit.jacobian[i][numbers[j]] * fit.weights[i] * fit.jacobian[i][numbers[k]];
            }
        }
    }
    return a;
}

// Cholesky decomposition.
bool solve(Matrix a, Vector b, Vector& x) {
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a[i][j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= a[i][k] * a[j][k];
            }
            if (i == j) {
                if (!(sum > 0)) {
                    return false;
                }
                a[i][i] = std::sqrt(sum);
            } else {
                a[i][j] = sum / a[j][j];
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) {
            b[i] -= a[k][i] * b[k];
        }
        b[i] /= a[i][i];
    }
    x = std::move(b);
    return true;
}

// Jacobi's method: each rotation zeroes one off-diagonal element.
Eigen eigen_of(Matrix a) {
    const std::size_t n = a.size();
    Matrix v(n, Vector(n, 0));
    for (std::size_t i = 0; i < n; ++i) {
        v[i][i] = 1;
    }
    constexpr int sweeps = 50;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (std::size_t p = 0; p < n; ++p) {
            for (std::size_t q = p + 1; q < n; ++q) {
                if (std::abs(a[p][q]) <= 1e-15 * std::sqrt(std::abs(a[p][p] * a[q][q]))) {
                    continue;
                }
                const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1);
                const double s = t * c;
                for (std::size_t k = 0; k < n; ++k) {
                    const double left = a[k][p];
                    a[k][p] = c * left - s * a[k][q];
                    a[k][q] = s * left + c * a[k][q];
                }
                for (std::size_t k = 0; k < n; ++k) {
                    const double upper = a[p][k];
                    a[p][k] = c * upper - s * a[q][k];
                    a[q][k] = s * upper + c * a[q][k];
                    const double old = v[p][k];
                    v[p][k] = c * old - s * v[q][k];
                    v[q][k] = s * old + c * v[q][k];
                }
            }
        }
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return a[i][i] < a[j][j]; });
    Eigen result;
    for (const std::size_t i : order) {
        result.values.push_back(a[i][i]);
        result.vectors.push_back(v[i]);
    }
    return result;
}

}  // namespace sim::fit
