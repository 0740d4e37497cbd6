// Least squares for a few positive numbers: damped Gauss-Newton on logarithms, robust against single outliers.
//
// Both the numbers and the residuals are logarithms: residual i is log(expected_i / measured_i), and a change of a
// number by 1 % counts the same whatever its unit. Residuals beyond 1.345 times the usual size count linearly (Huber).
#pragma once

#include <functional>
#include <vector>

namespace sim::fit {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;  // rows

struct BoundedNumber {
    double value = 0;  // start of the search; above 0
    double lowest = 0;
    double highest = 0;
};

struct LeastSquares {
    Vector values;
    Vector residuals;
    Vector weights;    // 1, or less for an outlier
    Matrix jacobian;   // d residual / d log(number), one row per residual
    double noise = 0;  // usual size of a residual
};

// Computes the residuals for the numbers' values. Every call returns the same count, all finite.
using Residuals = std::function<Vector(const Vector& values)>;

// Calls `residuals` up to 40 (numbers + 1) times. Requires: at least one number.
LeastSquares least_squares(const std::vector<BoundedNumber>& numbers, const Residuals& residuals);

// The matrix J^T W J restricted to some of the numbers.
Matrix normal_matrix(const LeastSquares& fit, const std::vector<std::size_t>& numbers);

// Solves A x = b for a symmetric A; returns false if A is not positive definite.
bool solve(Matrix a, Vector b, Vector& x);

// The eigenvalues of a symmetric matrix, ascending, and its eigenvectors as rows.
struct Eigen {
    Vector values;
    Matrix vectors;
};
Eigen eigen_of(Matrix a);

}  // namespace sim::fit
