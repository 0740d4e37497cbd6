#include "tools/torch/prices/works.hpp"

namespace sim::torch::prices {

namespace {

Category category_of(Kind kind) {
    switch (kind) {
        case Kind::product:
        case Kind::products:
        case Kind::scaled_product:
        case Kind::grouped_product:
        case Kind::convolution:
        case Kind::convolution_backward:
        case Kind::layer:
        case Kind::recurrence:
        case Kind::recurrence_backward:
        case Kind::factorization:
        case Kind::distances: return Category::products;
        case Kind::attention:
        case Kind::attention_backward: return Category::attention;
        case Kind::lists:
        case Kind::list_norms: return Category::optimizer;
        default: return Category::passes;
    }
}

Work kernels_of(const Asked& asked) {
    switch (asked.call.op().kind) {
        case Kind::view:
        case Kind::allocate: return {};
        case Kind::product: return product_work(asked);
        case Kind::products: return products_work(asked);
        case Kind::scaled_product: return scaled_product_work(asked);
        case Kind::grouped_product: return grouped_product_work(asked);
        case Kind::convolution: return convolution_work(asked);
        case Kind::convolution_backward: return convolution_backward_work(asked);
        case Kind::attention: return attention_work(asked);
        case Kind::attention_backward: return attention_backward_work(asked);
        case Kind::layer: return layer_work(asked);
        case Kind::recurrence: return recurrence_work(asked);
        case Kind::recurrence_backward: return recurrence_backward_work(asked);
        case Kind::factorization: return factorization_work(asked);
        case Kind::distances: return distances_work(asked);
        case Kind::transform: return transform_work(asked);
        case Kind::normalization: return normalization_work(asked);
        case Kind::normalization_backward: return normalization_backward_work(asked);
        case Kind::fill:
        case Kind::unpick: return fill_work(asked);
        case Kind::gather: return gather_work(asked);
        case Kind::bags: return bags_work(asked);
        case Kind::scatter: return scatter_work(asked);
        case Kind::pick: return pick_work(asked);
        case Kind::pairs: return pairs_work(asked);
        case Kind::sort: return sort_work(asked);
        case Kind::lists: return lists_work(asked);
        case Kind::list_norms: return list_norms_work(asked);
        case Kind::elementwise: return asked.call.op().is_fused ? elementwise_work(asked) : traffic_work(asked);
        case Kind::reduction: return row_work(asked);
        case Kind::move:
        case Kind::guessed: break;
    }
    return traffic_work(asked);
}

}  // namespace

const char* name_of(Category category) {
    switch (category) {
        case Category::products: return "products";
        case Category::attention: return "attention";
        case Category::optimizer: return "optimizer";
        case Category::copies: return "copies";
        case Category::passes: break;
    }
    return "passes";
}

Work work_of(const Asked& asked) {
    Work work = kernels_of(asked);
    work.category = category_of(asked.call.op().kind);
    return work;
}

}  // namespace sim::torch::prices
