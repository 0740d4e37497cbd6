// An optimizer is a row: the states that it keeps beside the parameters, and the matrix products of its step. Memory,
// the time of the update and the communication that it adds are computed from the row.
//
// Hidden matrices are those of a model's layers. Token tables, the output layer, norms and biases are updated otherwise
// by some optimizers. Sources: optimizer.cpp, row by row.
#pragma once

#include "libsim/training/precision.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace sim::training {

// Bytes of the states of a matrix of m x n numbers:  element m n + side (m + n) + square (m^2 + n^2).
struct StateSizes {
    double element = 0;
    double side = 0;
    double square = 0;
    friend bool operator==(const StateSizes&, const StateSizes&) = default;
};

// The sides of a matrix.
enum class Side : std::uint8_t { shorter, longer };

// A product in an optimizer's step, of rows x inner by inner x columns numbers, computed `times` times per step.
struct MatrixProduct {
    Side rows;
    Side columns;
    Side inner;
    double times;

    // The side whose square is a factor or the result: the one that occurs twice.
    Side square() const { return rows == columns || rows == inner ? rows : columns; }
};

struct OptimizerRow {
    const char* name;       // name in options and files
    const char* also = "";  // another name that options accept
    StateSizes matrices;    // of a hidden matrix
    StateSizes tables;      // of a token table or the output layer
    double vectors;         // bytes per number of a norm or bias
    double block = 0;       // hidden matrices are cut into blocks with sides of at most this; 0: they are not
    double longest = std::numeric_limits<double>::infinity();  // side that has a square
    std::span<const MatrixProduct> products = {};              // for each hidden matrix or block
    Precision precision = Precision::bf16;                     // of the products
    double gathered = 0;             // bytes per number, if ranks that share a hidden matrix gather it for the products
    const char* megatron = nullptr;  // options of Megatron-LM; null: it has no such optimizer

    // Whether each number of a parameter has the same states and nothing else is computed.
    bool is_elementwise() const {
        return products.empty() && matrices == tables && matrices == StateSizes{.element = vectors};
    }
};

// All of them; adam is the first.
std::span<const OptimizerRow> optimizers();

// One of optimizers(), as a value of one byte; adam if not given.
class Optimizer {
public:
    constexpr Optimizer() = default;
    // Requires: a row of optimizers().
    Optimizer(const OptimizerRow& row);  // NOLINT: a row of the table is one

    const OptimizerRow& operator*() const { return optimizers()[row_]; }
    const OptimizerRow* operator->() const { return &optimizers()[row_]; }
    friend bool operator==(const Optimizer&, const Optimizer&) = default;

private:
    std::uint8_t row_ = 0;
};
inline const char* name_of(const Optimizer& optimizer) {
    return optimizer->name;
}
// Throws ProgramError for an unknown name, with the nearest one.
Optimizer optimizer_named(std::string_view name);
// All names that options accept, and the optimizer of each.
struct OptimizerName {
    const char* name;
    Optimizer optimizer;
};
const std::vector<OptimizerName>& optimizer_names();

// Bytes that the update of one number of a hidden matrix reads and writes in its states: the fp32 parameter and the
// moments, without sides and squares.
double updated_bytes(const OptimizerRow& row);

// Matrices of one shape.
struct MatrixShape {
    double rows = 0;
    double columns = 0;
    double count = 1;

    double numbers() const { return rows * columns * count; }
    double side(Side which) const { return (which == Side::shorter) == (rows <= columns) ? rows : columns; }
};
// The blocks that the optimizer cuts the matrices into, at most four shapes; the matrices themselves if it does not.
std::vector<MatrixShape> blocks_of(const OptimizerRow& row, const MatrixShape& matrices);
// Bytes of the states of hidden matrices, and of a token table.
double state_bytes_of(const OptimizerRow& row, const MatrixShape& matrices);
double table_state_bytes_of(const OptimizerRow& row, const MatrixShape& table);
// FLOPs of the products of one step with hidden matrices.
double step_flops_of(const OptimizerRow& row, const MatrixShape& matrices);
// The number of times that a product is computed for a block: 0 for a side without a square.
double times_of(const OptimizerRow& row, const MatrixProduct& product, const MatrixShape& block);

}  // namespace sim::training
