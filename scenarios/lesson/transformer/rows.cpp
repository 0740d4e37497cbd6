#include "scenarios/lesson/transformer/rows.hpp"

namespace sim::training {

Matrix split_rows(const Matrix& x, Part part, int rows_per_item) {
    const Index items = x.rows() / rows_per_item;
    const Index rows = rows_per_item / part.of;
    Matrix result(items * rows, x.cols());
    for (Index item = 0; item < items; ++item) {
        result.middleRows(item * rows, rows) = x.middleRows(item * rows_per_item + part.index * rows, rows);
    }
    return result;
}

Matrix join_rows(std::span<const Matrix> parts, int rows_per_item_of_each_part) {
    const Index rows = rows_per_item_of_each_part;
    const Index items = parts.front().rows() / rows;
    const Index of = static_cast<Index>(parts.size());
    Matrix result(items * rows * of, parts.front().cols());
    for (Index item = 0; item < items; ++item) {
        for (Index index = 0; index < of; ++index) {
            result.middleRows((item * of + index) * rows, rows) =
                parts[static_cast<std::size_t>(index)].middleRows(item * rows, rows);
        }
    }
    return result;
}

}  // namespace sim::training
