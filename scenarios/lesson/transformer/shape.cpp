#include "scenarios/lesson/transformer/shape.hpp"

#include <stdexcept>
#include <string>

namespace sim::lesson {

namespace {

void require_divides(int parts, int whole, const char* what) {
    if (parts < 1 || whole % parts != 0) {
        throw std::invalid_argument(std::to_string(whole) + " " + what + " cannot be split into " +
                                    std::to_string(parts) + " equal parts");
    }
}

}  // namespace

void require_fit(const Shape& shape, const PartPlacement& placement) {
    require_divides(shape.heads, shape.hidden, "hidden values");
    require_divides(placement.tensor.of, shape.heads, "heads");
    require_divides(placement.context.of, shape.sequence, "positions");
    if (placement.sequence_parallel) {
        require_divides(placement.tensor.of, context_rows(shape, placement), "positions of a context part");
    }
    require_divides(placement.experts.of, shape.experts, "experts");
    if (shape.experts > 0 && (shape.top_k < 1 || shape.top_k > shape.experts)) {
        throw std::invalid_argument("a token cannot choose " + std::to_string(shape.top_k) + " of " +
                                    std::to_string(shape.experts) + " experts");
    }
    if (placement.first_layer < 0 || placement.layer_count < 0 ||
        placement.first_layer + placement.layer_count > shape.layers) {
        throw std::invalid_argument("layers " + std::to_string(placement.first_layer) + " to " +
                                    std::to_string(placement.first_layer + placement.layer_count - 1) + " of " +
                                    std::to_string(shape.layers) + " do not exist");
    }
}

}  // namespace sim::lesson
