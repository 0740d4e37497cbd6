#include "libsim/training/optimizer.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

namespace sim::training {

namespace {

constexpr double fp32 = 4;
constexpr double bf16 = 2;

// bitsandbytes: one byte per number, and an fp32 scale for each block of 256 (2,048 before version 0.44).
constexpr double one_byte = 1 + fp32 / 256;

// Jordan et al. 2024, Muon: 5 iterations of X := a X + (b A + c A A) X with A = X X'. 4 m^2 n + 2 m^3 FLOPs each.
constexpr double newton_schulz = 5;
constexpr std::array muon_products{
    MatrixProduct{Side::shorter, Side::shorter, Side::longer, newton_schulz},
    MatrixProduct{Side::shorter, Side::shorter, Side::shorter, newton_schulz},
    MatrixProduct{Side::shorter, Side::longer, Side::shorter, newton_schulz},
};

// A factorisation of an m x m matrix, in products of m x m matrices, which are 2 m^3 FLOPs. Householder QR with Q takes
// 8/3 m^3, a symmetric eigendecomposition with vectors 9 m^3 (Golub & Van Loan, Matrix Computations, 5.2 and 8.3).
// Priced at the rate of products, which GPUs do not reach: a lower bound.
constexpr double qr = 8.0 / 3 / 2;
constexpr double eigenvectors = 9.0 / 2;

// Optimizers with a square for each side: both sums of squares, the matrix multiplied `rotations` times by each side's
// square, and the work that renews a square, in products of it, averaged over the steps.
constexpr std::array<MatrixProduct, 6> products_of_both_sides(double rotations, double renewal) {
    return {MatrixProduct{Side::shorter, Side::shorter, Side::longer, 1},
            MatrixProduct{Side::longer, Side::longer, Side::shorter, 1},
            MatrixProduct{Side::shorter, Side::longer, Side::shorter, rotations},
            MatrixProduct{Side::shorter, Side::longer, Side::longer, rotations},
            MatrixProduct{Side::shorter, Side::shorter, Side::shorter, renewal},
            MatrixProduct{Side::longer, Side::longer, Side::longer, renewal}};
}

// Shi et al. 2023 (arXiv 2309.06497), Distributed Shampoo: both roots applied in each step; they are computed anew
// every 50 steps (their ImageNet runs), from eigenvectors and one product.
constexpr std::array shampoo_products = products_of_both_sides(1, (eigenvectors + 1) / 50);

// Vyas et al. 2024 (arXiv 2409.11321), SOAP: the gradient and its mean rotated, and the update rotated back; every 10
// steps a power iteration and a QR decomposition for each side.
constexpr std::array soap_products = products_of_both_sides(3, (1 + qr) / 10);

// The same states for each number of any parameter.
constexpr OptimizerRow elementwise(const char* name, double bytes) {
    return {.name = name, .matrices = {.element = bytes}, .tables = {.element = bytes}, .vectors = bytes};
}

constexpr OptimizerRow called_also(OptimizerRow row, const char* also) {
    row.also = also;
    return row;
}
constexpr OptimizerRow in_megatron(OptimizerRow row, const char* options) {
    row.megatron = options;
    return row;
}

constexpr std::array optimizer_rows{
    // Kingma & Ba 2015; Loshchilov & Hutter 2019 (AdamW): two moments. Decay of the weights has no state.
    in_megatron(called_also(elementwise("adam", 2 * fp32), "adamw"), "--optimizer adam"),
    // DeepSeek-AI 2024 (arXiv 2412.19437, 3.3.3): both moments in bf16; master weights and gradients stay in fp32.
    in_megatron(elementwise("adam-bf16", 2 * bf16),
                "--use-precision-aware-optimizer --exp-avg-dtype bf16 --exp-avg-sq-dtype bf16"),
    // Dettmers et al. 2022 (arXiv 2110.02861); bitsandbytes, optim/optimizer.py.
    called_also(elementwise("adam-8bit", 2 * one_byte), "adamw-8bit"),
    // Shazeer & Stern 2018 (arXiv 1804.04235): means of the squares of rows and of columns; vectors have all of them.
    OptimizerRow{.name = "adafactor", .matrices = {.side = fp32}, .tables = {.side = fp32}, .vectors = fp32},
    OptimizerRow{.name = "adafactor-momentum",
                 .matrices = {.element = fp32, .side = fp32},
                 .tables = {.element = fp32, .side = fp32},
                 .vectors = 2 * fp32},
    // Chen et al. 2023 (arXiv 2302.06675): the update is the sign of a mean of gradients.
    elementwise("lion", fp32),
    // Liu et al. 2025 (arXiv 2502.16982), Muon is scalable: one momentum, Adam for all but hidden matrices; ranks that
    // share a matrix gather it in bf16, and all of them compute its update. tp: each rank orthogonalises its own shard
    // (Megatron-LM, --muon-tp-mode blockwise).
    OptimizerRow{.name = "muon",
                 .matrices = {.element = fp32},
                 .tables = {.element = 2 * fp32},
                 .vectors = 2 * fp32,
                 .products = muon_products,
                 .gathered = bf16,
                 .megatron = "--optimizer muon"},
    // Moment, grafted second moment, two sums of squares and their roots; blocks of 1,024 (max_preconditioner_dim),
    // which lie within a rank's part. Adam's states for the rest.
    OptimizerRow{.name = "shampoo",
                 .matrices = {.element = 2 * fp32, .square = 2 * fp32},
                 .tables = {.element = 2 * fp32},
                 .vectors = 2 * fp32,
                 .block = 1024,
                 .products = shampoo_products,
                 .precision = Precision::fp32},
    // 2 m n + 2 m^2 + 2 n^2 numbers (section 7.2, without the gradient); sides above 10,000 have no squares
    // (max_precond_dim). No way to shard it is published; a matrix is assumed to be gathered as with Muon, in fp32.
    OptimizerRow{.name = "soap",
                 .matrices = {.element = 2 * fp32, .square = 2 * fp32},
                 .tables = {.element = 2 * fp32},
                 .vectors = 2 * fp32,
                 .longest = 10'000,
                 .products = soap_products,
                 .precision = Precision::fp32,
                 .gathered = fp32},
    // Megatron-LM, training/arguments.py: one momentum (--sgd-momentum 0.9).
    in_megatron(elementwise("sgd", fp32), "--optimizer sgd"),
};

// Pieces of a side: as many whole blocks as fit, and the rest.
struct Cut {
    double length;
    double count;
};
std::vector<Cut> cut(double side, double block) {
    const double whole = std::floor(side / block);
    std::vector<Cut> pieces;
    if (whole > 0) {
        pieces.push_back({block, whole});
    }
    if (side > whole * block) {
        pieces.push_back({side - whole * block, 1});
    }
    return pieces;
}

double bytes_of(const StateSizes& sizes, const MatrixShape& shape, double longest) {
    const auto square = [&](double side) { return side <= longest ? side * side : 0; };
    return shape.count * (sizes.element * shape.rows * shape.columns + sizes.side * (shape.rows + shape.columns) +
                          sizes.square * (square(shape.rows) + square(shape.columns)));
}

}  // namespace

std::span<const OptimizerRow> optimizers() {
    return optimizer_rows;
}

Optimizer::Optimizer(const OptimizerRow& row) : row_(static_cast<std::uint8_t>(&row - optimizer_rows.data())) {}

const std::vector<OptimizerName>& optimizer_names() {
    static const std::vector<OptimizerName> names = [] {
        std::vector<OptimizerName> all;
        for (const OptimizerRow& row : optimizer_rows) {
            if (*row.also != '\0') {
                all.push_back({row.also, row});
            }
            all.push_back({row.name, row});
        }
        return all;
    }();
    return names;
}

Optimizer optimizer_named(std::string_view name) {
    std::vector<std::string> known;
    for (const OptimizerName& one : optimizer_names()) {
        if (one.name == name) {
            return one.optimizer;
        }
        known.emplace_back(one.name);
    }
    throw ProgramError(fmt::format("no optimizer is called \"{}\"{}", name, did_you_mean(name, known)));
}

double updated_bytes(const OptimizerRow& row) {
    return 2 * (fp32 + row.matrices.element);
}

std::vector<MatrixShape> blocks_of(const OptimizerRow& row, const MatrixShape& matrices) {
    if (row.block == 0) {
        return {matrices};
    }
    std::vector<MatrixShape> blocks;
    for (const Cut& rows : cut(matrices.rows, row.block)) {
        for (const Cut& columns : cut(matrices.columns, row.block)) {
            blocks.push_back({rows.length, columns.length, matrices.count * rows.count * columns.count});
        }
    }
    return blocks;
}

double state_bytes_of(const OptimizerRow& row, const MatrixShape& matrices) {
    double sum = 0;
    for (const MatrixShape& block : blocks_of(row, matrices)) {
        sum += bytes_of(row.matrices, block, row.longest);
    }
    return sum;
}

double table_state_bytes_of(const OptimizerRow& row, const MatrixShape& table) {
    return bytes_of(row.tables, table, row.longest);
}

double times_of(const OptimizerRow& row, const MatrixProduct& product, const MatrixShape& block) {
    return block.side(product.square()) <= row.longest ? product.times : 0;
}

double step_flops_of(const OptimizerRow& row, const MatrixShape& matrices) {
    double sum = 0;
    for (const MatrixShape& block : blocks_of(row, matrices)) {
        for (const MatrixProduct& product : row.products) {
            sum += block.count * times_of(row, product, block) * 2 * block.side(product.rows) *
                   block.side(product.columns) * block.side(product.inner);
        }
    }
    return sum;
}

}  // namespace sim::training
