#include "scenarios/lesson/transformer/dispatch.hpp"

namespace sim::training {

std::vector<Matrix> cut(const Matrix& x, const std::vector<Index>& rows) {
    std::vector<Matrix> pieces;
    Index begin = 0;
    for (const Index count : rows) {
        pieces.emplace_back(x.middleRows(begin, count));
        begin += count;
    }
    return pieces;
}

Matrix stack(const std::vector<Matrix>& pieces, Index columns) {
    Index rows = 0;
    for (const Matrix& piece : pieces) {
        rows += piece.rows();
    }
    Matrix result(rows, columns);
    Index begin = 0;
    for (const Matrix& piece : pieces) {
        if (piece.rows() > 0) {  // without rows, a piece may have come without columns
            result.middleRows(begin, piece.rows()) = piece;
        }
        begin += piece.rows();
    }
    return result;
}

std::vector<Matrix> by_expert(const std::vector<Matrix>& from_sources, const Arrivals& counts, Index columns) {
    std::vector<std::vector<Matrix>> pieces(counts.front().size());  // of each expert
    for (std::size_t source = 0; source < from_sources.size(); ++source) {
        const std::vector<Matrix> of_experts = cut(from_sources[source], counts[source]);
        for (std::size_t expert = 0; expert < of_experts.size(); ++expert) {
            pieces[expert].push_back(of_experts[expert]);
        }
    }
    std::vector<Matrix> result;
    for (const std::vector<Matrix>& of_expert : pieces) {
        result.push_back(stack(of_expert, columns));
    }
    return result;
}

std::vector<Matrix> by_source(const std::vector<Matrix>& of_experts, const Arrivals& counts, Index columns) {
    std::vector<std::vector<Matrix>> pieces(counts.size());  // of each source
    for (std::size_t expert = 0; expert < of_experts.size(); ++expert) {
        Index begin = 0;
        for (std::size_t source = 0; source < counts.size(); ++source) {
            pieces[source].emplace_back(of_experts[expert].middleRows(begin, counts[source][expert]));
            begin += counts[source][expert];
        }
    }
    std::vector<Matrix> result;
    for (const std::vector<Matrix>& of_source : pieces) {
        result.push_back(stack(of_source, columns));
    }
    return result;
}

}  // namespace sim::training
