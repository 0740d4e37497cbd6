#include "libsim/training/layout_field_rows.hpp"

namespace sim::training::field_rows {

namespace {

bool has_capacity(const Layout& layout) {
    return layout.framework.capacity_factor > 0;
}

}  // namespace

void add_data(Fields& fields) {
    constexpr double largest_factor = 1e6;
    fields.push_back(
        rare({"document-lengths", "X|LIST|FILE",
              "lengths of the documents that sequences are packed from, in tokens: the mean of exponential "
              "ones, or measured ones (one document per sequence)",
              "Lengths of documents that sequences are packed from: the mean of exponential ones, or a list.",
              listed<documents_of_text, batch_of, &Batch::documents>()}));
    fields.push_back(rare(toggle<batch_of, &Batch::balanced_documents>(
        "balanced-documents", "pack documents so that all data-parallel ranks have equal attention work (off)",
        "Whether documents are packed so that all data-parallel ranks have equal attention work.")));
    fields.push_back(
        rare({"expert-imbalance", "X|LIST|FILE",
              "visits of experts: the fullest one's, as a multiple of the mean, zipf:EXPONENT, or counts of "
              "each (1)",
              "Visits of experts: the fullest one's as a multiple of the mean, zipf:EXPONENT, or a list of "
              "counts.",
              listed<expert_load_of_text, batch_of, &Batch::expert_load>()}));
    LayoutField capacity = real<framework_of, &Framework::capacity_factor>(
        "capacity-factor", 0, largest_factor,
        "experts drop visits beyond this multiple of the mean (0: they drop none)",
        "Multiple of the mean beyond which an expert drops visits.");
    capacity.launched = {{megatron, "--moe-expert-capacity-factor {}", has_capacity},
                         {torchtitan, "a capacity of experts", has_capacity, LaunchFlag::Says::lacks}};
    fields.push_back(rare(capacity));
}

}  // namespace sim::training::field_rows
