#include "tools/torch/slot/operators/operators.hpp"

#include <ATen/ATen.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace sim::slot {

namespace {

using at::ScalarType;

// CUDA also has a kernel for integers.
bool counts_whole_numbers(const c10::OperatorHandle& op) {
    return op.operator_name().name == "aten::histc";
}

bool is_narrow(ScalarType type, bool of_whole_numbers) {
    return type == at::kHalf || type == at::kBFloat16 || type == at::kComplexHalf ||
           (of_whole_numbers && at::isIntegralType(type, false));
}

ScalarType widened(ScalarType type) {
    if (at::isIntegralType(type, false)) {
        return at::kDouble;
    }
    return type == at::kComplexHalf ? at::kComplexFloat : at::kFloat;
}

// One call: its narrow arguments, and the wide ones that replace them.
class WideCall {
public:
    WideCall(const c10::OperatorHandle& op, torch::jit::Stack& stack) : op_(op), stack_(stack) {}

    void run() {
        widen();
        op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack_);
        if (real_) {
            narrow();
        }
    }

private:
    struct Written {
        at::Tensor narrow;
        at::Tensor wide;
    };

    void widen() {
        const auto& arguments = op_.schema().arguments();
        const std::size_t begin = stack_.size() - arguments.size();
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            c10::IValue& value = stack_[begin + i];
            if (!value.isTensor() || !is_narrow(value.toTensor().scalar_type(), counts_whole_numbers(op_))) {
                continue;
            }
            const at::Tensor narrow = value.toTensor();
            const ScalarType type = narrow.scalar_type();
            real_ = type == at::kComplexHalf ? at::kHalf : type;
            wide_real_ = type == at::kComplexHalf ? at::kFloat : widened(type);
            at::Tensor wide = narrow.to(widened(type));
            if (arguments[i].alias_info() != nullptr && arguments[i].alias_info()->isWrite()) {
                written_.push_back({narrow, wide});
            }
            value = std::move(wide);
        }
    }
    void narrow() {
        for (const Written& each : written_) {
            each.narrow.resize_(each.wide.sizes()).copy_(each.wide);
        }
        const std::size_t count = op_.schema().returns().size();
        for (std::size_t i = stack_.size() - count; i < stack_.size(); ++i) {
            if (stack_[i].isTensor()) {
                stack_[i] = narrowed(stack_[i].toTensor());
            }
        }
    }
    at::Tensor narrowed(const at::Tensor& result) const {
        const auto same = [&](const Written& each) { return each.wide.is_same(result); };
        const auto at = std::find_if(written_.begin(), written_.end(), same);
        if (at != written_.end()) {
            return at->narrow;
        }
        const bool is_complex = result.scalar_type() == at::kComplexFloat;
        return is_complex || result.scalar_type() == wide_real_ ? result.to(is_complex ? at::kComplexHalf : *real_)
                                                                : result;
    }

    const c10::OperatorHandle& op_;
    torch::jit::Stack& stack_;
    std::optional<ScalarType> real_;     // type of results, if an argument is narrow
    ScalarType wide_real_ = at::kFloat;  // the type that replaces it
    c10::SmallVector<Written, 2> written_;
};

}  // namespace

bool is_widened(std::string_view name) {
    using namespace std::string_view_literals;
    static constexpr std::array names{"aten::_fft_c2c"sv,
                                      "aten::_fft_c2r"sv,
                                      "aten::_fft_r2c"sv,
                                      "aten::_upsample_bicubic2d_aa"sv,
                                      "aten::_upsample_bicubic2d_aa_backward"sv,
                                      "aten::_upsample_bilinear2d_aa"sv,
                                      "aten::_upsample_bilinear2d_aa_backward"sv,
                                      "aten::avg_pool3d"sv,
                                      "aten::avg_pool3d_backward"sv,
                                      "aten::histc"sv,
                                      "aten::multi_margin_loss"sv,
                                      "aten::multi_margin_loss_backward"sv,
                                      "aten::multilabel_margin_loss_backward"sv,
                                      "aten::multilabel_margin_loss_forward"sv,
                                      "aten::polygamma"sv,
                                      "aten::polygamma_"sv,
                                      "aten::round"sv,
                                      "aten::round_"sv,
                                      "aten::rrelu_with_noise"sv,
                                      "aten::rrelu_with_noise_"sv};
    return std::ranges::find(names, name) != names.end();
}

void call_widened(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    WideCall(op, stack).run();
}

}  // namespace sim::slot
