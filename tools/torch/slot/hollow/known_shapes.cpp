#include "tools/torch/slot/hollow/result_shapes.hpp"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace sim::slot {

namespace {

// The first word of a value gives its kind, so that different lists of values have different words.
enum class Word : std::uint64_t { undefined, tensor, integer, real, yes, no, none, device, text, list };

std::uint64_t word(Word kind, std::uint64_t more = 0) {
    return static_cast<std::uint64_t>(kind) | more << 8U;
}

using WordRow = std::span<const std::uint64_t>;

struct Hash {
    using is_transparent = void;
    // FxHash. The words themselves are compared, too.
    std::size_t operator()(WordRow words) const {
        std::uint64_t hash = 0;
        for (const std::uint64_t each : words) {
            hash = (std::rotl(hash, 5) ^ each) * 0x517cc1b727220a95;
        }
        return hash ^ hash >> 32U;
    }
};

struct Equal {
    using is_transparent = void;
    bool operator()(WordRow left, WordRow right) const { return std::ranges::equal(left, right); }
};

struct KnownShapes {
    std::mutex mutex;
    std::unordered_map<std::vector<std::uint64_t>, std::shared_ptr<const ResultShapes>, Hash, Equal> all;
};

KnownShapes& all_known_shapes() {
    static KnownShapes known;
    return known;
}

}  // namespace

CallSignature::CallSignature(const c10::OperatorHandle& op, std::span<const c10::IValue> given) {
    words_.push_back(reinterpret_cast<std::uintptr_t>(&op.schema()));
    for (const c10::IValue& value : given) {
        add(value);
    }
}

void CallSignature::add(const at::Tensor& tensor) {
    if (!tensor.defined()) {
        words_.push_back(word(Word::undefined));
        return;
    }
    if (tensor.layout() != c10::kStrided) {
        is_complete_ = false;
        return;
    }
    const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
    const c10::IntArrayRef sizes = tensor.sizes();
    const c10::IntArrayRef strides = tensor.strides();
    words_.push_back(word(Word::tensor, static_cast<std::uint64_t>(tensor.scalar_type()) |
                                            static_cast<std::uint64_t>(tensor.device().type()) << 8U |
                                            static_cast<std::uint64_t>(impl.is_wrapped_number()) << 16U |
                                            static_cast<std::uint64_t>(sizes.size()) << 24U));
    words_.append(sizes.begin(), sizes.end());
    words_.append(strides.begin(), strides.end());
}

void CallSignature::add(std::string_view text) {
    words_.push_back(word(Word::text, text.size()));
    const std::size_t begin = words_.size();
    words_.resize(begin + (text.size() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    std::memcpy(words_.data() + begin, text.data(), text.size());
}

void CallSignature::add(const c10::IValue& value) {
    if (value.isTensor()) {
        add(value.toTensor());
    } else if (value.isNone() || value.isGenerator()) {
        words_.push_back(word(Word::none));
    } else if (value.isInt()) {
        words_.push_back(word(Word::integer));
        words_.push_back(static_cast<std::uint64_t>(value.toInt()));
    } else if (value.isBool()) {
        words_.push_back(word(value.toBool() ? Word::yes : Word::no));
    } else if (value.isDouble()) {
        words_.push_back(word(Word::real));
        words_.push_back(std::bit_cast<std::uint64_t>(value.toDouble()));
    } else if (value.isList()) {
        words_.push_back(word(Word::list, value.toListRef().size()));
        for (const c10::IValue& each : value.toListRef()) {
            add(each);
        }
    } else if (value.isDevice()) {
        words_.push_back(word(Word::device, static_cast<std::uint64_t>(value.toDevice().type())));
    } else if (value.isString()) {
        add(std::string_view(value.toStringRef()));
    } else {
        is_complete_ = false;
    }
}

std::shared_ptr<const ResultShapes> known_shapes(const CallSignature& signature) {
    KnownShapes& known = all_known_shapes();
    const std::lock_guard lock(known.mutex);
    const auto at = known.all.find(signature.words());
    return at == known.all.end() ? nullptr : at->second;
}

std::shared_ptr<const ResultShapes> remember_shapes(const CallSignature& signature, ResultShapes shapes) {
    constexpr std::size_t most = 1 << 14;
    auto made = std::make_shared<const ResultShapes>(std::move(shapes));
    KnownShapes& known = all_known_shapes();
    const std::lock_guard lock(known.mutex);
    if (known.all.size() >= most) {
        known.all.clear();
    }
    known.all.emplace(std::vector(signature.words().begin(), signature.words().end()), made);
    return made;
}

}  // namespace sim::slot
