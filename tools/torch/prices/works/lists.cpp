// Kernels over lists of tensors: an optimizer's.
//
// A launch covers as many tensors and pieces of 65,536 elements as fit into its arguments; a long list takes several
// launches. Source: aten/src/ATen/native/cuda/MultiTensorApply.cuh, ForeachReduceOp.cu.
#include "tools/torch/prices/works/parts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sim::torch::prices {

using seam::Tensor;

namespace {

constexpr std::int64_t piece = 65536;
constexpr int most_pieces = 320;
constexpr std::array most_tensors{110, 64, 48, 36, 30};  // by number of lists processed together
constexpr int most_tensors_with_scalars = 96;            // for one list with a scalar per tensor
constexpr std::int64_t most_tensors_at_the_end = 400;    // that one kernel of the final reduction covers

int tensors_of_launch(const Call& call, std::size_t lists) {
    const int most = most_tensors[std::clamp<std::size_t>(lists, 1, most_tensors.size()) - 1];
    return call.op().has_scalar_list ? std::min(most, most_tensors_with_scalars) : most;
}

std::int64_t pieces_of(const Tensor& tensor) {
    return (elements(tensor) + piece - 1) / piece;
}

// The elements of each launch.
std::vector<double> launches_of(const Tensors& list, int tensors_of_each) {
    std::vector<double> launches;
    double of_launch = 0;
    int pieces = 0;
    int tensors = 0;
    const auto launch = [&](int kept) {
        launches.push_back(of_launch);
        of_launch = 0;
        pieces = 0;
        tensors = kept;
    };
    for (const Tensor* tensor : list) {
        const std::int64_t of_tensor = pieces_of(*tensor);
        tensors += of_tensor > 0 ? 1 : 0;
        for (std::int64_t at = 0; at < of_tensor; ++at) {
            const bool is_last = at == of_tensor - 1;
            of_launch += static_cast<double>(is_last ? elements(*tensor) - at * piece : piece);
            ++pieces;
            if ((is_last && tensors == tensors_of_each) || pieces == most_pieces) {
                launch(is_last ? 0 : 1);
            }
        }
    }
    if (pieces > 0) {
        launch(0);
    }
    return launches;
}

// Spreads bytes over launches in proportion to their elements.
std::vector<double> spread(std::int64_t bytes, std::vector<double> launches) {
    double all = 0;
    for (const double elements : launches) {
        all += elements;
    }
    for (double& one : launches) {
        one = launches.size() == 1 ? static_cast<double>(bytes) : static_cast<double>(bytes) * (one / all);
    }
    return launches;
}

}  // namespace

Work lists_work(const Asked& asked) {
    const Call& call = asked.call;
    const std::vector<Tensors> lists = call.lists();
    if (lists.empty()) {
        return {};
    }
    // Step counts are passed beside the lists; results form a list of their own.
    const std::size_t in_step =
        lists.size() - (call.tensors_named("state_steps").empty() ? 0 : 1) + (call.op().is_in_place ? 0 : 1);
    return memory_work(asked, spread(call.read_bytes() + call.written_bytes(),
                                     launches_of(lists.front(), tensors_of_launch(call, in_step))));
}

// The sums of pieces are cleared, computed, and added up for each tensor.
Work list_norms_work(const Asked& asked) {
    const Call& call = asked.call;
    const std::vector<Tensors> lists = call.lists();
    if (lists.empty()) {
        return {};
    }
    const Tensors& list = lists.front();
    std::int64_t longest = 0;
    for (const Tensor* tensor : list) {
        longest = std::max(longest, pieces_of(*tensor));
    }
    constexpr std::int64_t sum_bytes = 4;
    const auto count = static_cast<std::int64_t>(list.size());
    const std::int64_t sums = count * longest * sum_bytes;
    std::vector<double> kernels{static_cast<double>(sums)};
    const auto made = spread(bytes(list), launches_of(list, tensors_of_launch(call, 1)));
    kernels.insert(kernels.end(), made.begin(), made.end());
    const std::int64_t at_the_end = (count + most_tensors_at_the_end - 1) / most_tensors_at_the_end;
    kernels.insert(kernels.end(), static_cast<std::size_t>(at_the_end),
                   static_cast<double>(sums + call.written_bytes()) / static_cast<double>(at_the_end));
    return memory_work(asked, kernels);
}

}  // namespace sim::torch::prices
