// Dense linear algebra is priced as a matrix product with the same FLOPs in fp32: a lower bound, since factorizations
// are sequential. Distances of all pairs are the product of their rows.
#include "tools/torch/prices/works/parts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace sim::torch::prices {

using seam::Tensor;
using training::GemmKind;
using training::OperatorPrecision;

namespace {

// FLOPs for an m x n matrix: `cubes` m n min(m, n), plus `squares` min(m, n)^2 for each right-hand side.
// Source: Golub, Van Loan: Matrix Computations, 4th edition, 3.2 to 5.2.
struct Effort {
    std::string_view name;
    double cubes;
    double squares;
};

constexpr std::array efforts{
    Effort{"cholesky", 1.0 / 3, 0},
    Effort{"linalg_cholesky_ex", 1.0 / 3, 0},
    Effort{"cholesky_inverse", 2.0 / 3, 0},
    Effort{"_cholesky_solve_helper", 0, 2},
    Effort{"linalg_ldl_factor_ex", 1.0 / 3, 0},
    Effort{"linalg_ldl_solve", 0, 2},
    Effort{"linalg_lu", 2.0 / 3, 0},
    Effort{"linalg_lu_factor_ex", 2.0 / 3, 0},
    Effort{"linalg_lu_solve", 0, 2},
    Effort{"_linalg_det", 2.0 / 3, 0},
    Effort{"_linalg_slogdet", 2.0 / 3, 0},
    Effort{"_linalg_solve_ex", 2.0 / 3, 2},
    Effort{"linalg_inv_ex", 2, 0},
    Effort{"linalg_solve_triangular", 0, 1},
    Effort{"triangular_solve", 0, 1},
    Effort{"geqrf", 4.0 / 3, 0},
    Effort{"linalg_householder_product", 4.0 / 3, 0},
    Effort{"linalg_qr", 8.0 / 3, 0},
    Effort{"ormqr", 0, 4},
};

Effort effort_of(std::string_view name) {
    const auto found =
        std::find_if(efforts.begin(), efforts.end(), [&](const Effort& one) { return one.name == name; });
    return found == efforts.end() ? Effort{name, 1, 0} : *found;
}

// The matrix is A, LU, LD or self; the right-hand sides are B, input3 or self.
const Tensor* matrix_of(const Call& call) {
    for (const char* name : {"A", "LU", "LD"}) {
        if (const Tensor* found = call.tensor_named(name)) {
            return found;
        }
    }
    return &call.tensor({"self"});
}

const Tensor* right_sides_of(const Call& call, const Tensor* matrix) {
    for (const char* name : {"B", "input3", "self"}) {
        const Tensor* found = call.tensor_named(name);
        if (found != nullptr && found != matrix) {
            return found;
        }
    }
    return nullptr;
}

}  // namespace

Work factorization_work(const Asked& asked) {
    const Tensor* matrix = matrix_of(asked.call);
    if (elements(*matrix) == 0) {
        return {};
    }
    const auto m = static_cast<double>(side_from_end(*matrix, 2));
    const auto n = static_cast<double>(side_from_end(*matrix, 1));
    const double side = std::min(m, n);
    const double batch = static_cast<double>(elements(*matrix)) / (m * n);
    const Tensor* right = right_sides_of(asked.call, matrix);
    const double columns = right == nullptr ? 0 : static_cast<double>(elements(*right)) / (batch * m);
    const Effort effort = effort_of(asked.call.name());
    const double flops = effort.cubes * m * n * side + effort.squares * side * side * columns;
    if (!(flops > 0)) {
        return {};
    }
    const training::Gemm shape{side, side, flops / (2 * side * side), batch};
    const Duration time = asked.times.matrix_product(shape, GemmKind::forward, OperatorPrecision::fp32);
    return multiplied(asked, time, "linear algebra", shape.flops(), OperatorPrecision::fp32);
}

Work distances_work(const Asked& asked) {
    const Tensor& first = asked.call.tensor({"x1", "self"});
    const Tensor* second = asked.call.tensor_named("x2");
    const auto rows = static_cast<double>(side_from_end(first, 2));
    // Without a second tensor, each pair of the first one's rows counts once.
    const double others = second == nullptr ? (rows - 1) / 2 : static_cast<double>(side_from_end(*second, 2));
    const auto width = static_cast<double>(side_from_end(first, 1));
    if (!(rows * others * width > 0) || elements(first) == 0) {
        return {};
    }
    const training::Gemm shape{rows, others, width, static_cast<double>(elements(first)) / (rows * width)};
    const Duration time = asked.times.matrix_product(shape, GemmKind::forward, OperatorPrecision::fp32);
    return multiplied(asked, time, "distances", shape.flops(), OperatorPrecision::fp32);
}

}  // namespace sim::torch::prices
