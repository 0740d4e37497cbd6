// Least squares of a few positive numbers: Gauss-Newton with damping, on logarithms, robust against single outliers.
//
// Both the numbers and the residuals are logarithms: residual i is log(expected_i / measured_i), and a change of a
// number by 1 % counts the same whatever its unit. Residuals beyond 1.345 times the usual one count linearly (Huber).
#pragma once

#include <functional>
#include <vector>

namespace sim::fit {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;  // rows

struct BoundedNumber {
    double value = 0;  // where the search begins; above 0
    double lowest = 0;
    double highest = 0;
};

struct LeastSquares {
    Vector values;
    Vector residuals;
    Vector weights;    // 1, or less of an outlier
    Matrix jacobian;   // of residuals by the numbers' logarithms, a row for each residual
    double noise = 0;  // usual size of a residual
};

// The residuals of the numbers' values; as many in each call, finite.
using Residuals = std::function<Vector(const Vector& values)>;

// Calls `residuals` up to 40 (numbers + 1) times. Requires: at least one number.
LeastSquares least_squares(const std::vector<BoundedNumber>& numbers, const Residuals& residuals);

// The matrix J^T W J of some of the numbers.
Matrix normal_matrix(const LeastSquares& fit, const std::vector<std::size_t>& numbers);

// Solves A x = b for a symmetric A that is positive definite; false: it is not.
bool solve(Matrix a, Vector b, Vector& x);

// Eigenvalues of a symmetric matrix, the least first, and its eigenvectors as rows.
struct Eigen {
    Vector values;
    Matrix vectors;
};
Eigen eigen_of(Matrix a);

}  // namespace sim::fit
