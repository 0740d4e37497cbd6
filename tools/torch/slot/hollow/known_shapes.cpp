#include "tools/torch/slot/hollow/known_shapes.hpp"

#include <ATen/core/Tensor.h>

#include <mutex>
#include <type_traits>
#include <unordered_map>

namespace sim::slot {

namespace {

class SignatureText {
public:
    void add(const at::Tensor& tensor) {
        if (!tensor.defined()) {
            put('u');
            return;
        }
        can_be_compared_ = can_be_compared_ && tensor.layout() == c10::kStrided;
        if (!can_be_compared_) {
            return;
        }
        put('t');
        put(tensor.scalar_type());
        put(tensor.device().type());
        put(tensor.unsafeGetTensorImpl()->is_wrapped_number());
        add(tensor.sizes());
        add(tensor.strides());
    }
    void add(const c10::IValue& value) {
        if (value.isTensor()) {
            add(value.toTensor());
        } else if (value.isInt()) {
            put('i');
            put(value.toInt());
        } else if (value.isDouble()) {
            put('d');
            put(value.toDouble());
        } else if (value.isBool()) {
            put(value.toBool() ? 'y' : 'n');
        } else if (value.isNone() || value.isGenerator()) {
            put('-');
        } else if (value.isDevice()) {
            put('v');
            put(value.toDevice().type());
        } else if (value.isString()) {
            put('s');
            put(value.toStringRef().size());
            text_ += value.toStringRef();
        } else if (value.isList()) {
            put('l');
            put(value.toListRef().size());
            for (const c10::IValue& each : value.toListRef()) {
                add(each);
            }
        } else {
            can_be_compared_ = false;
        }
    }
    template <class Value>
    void put(const Value& value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    std::optional<std::string> text() { return can_be_compared_ ? std::optional(std::move(text_)) : std::nullopt; }

private:
    void add(c10::IntArrayRef numbers) {
        put(numbers.size());
        text_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int64_t));
    }

    std::string text_;
    bool can_be_compared_ = true;
};

struct KnownShapes {
    std::mutex mutex;
    std::unordered_map<std::string, torch::jit::Stack> all;
};

KnownShapes& all_known_shapes() {
    static KnownShapes known;
    return known;
}

}  // namespace

std::optional<std::string> signature_of(const c10::OperatorHandle& op, std::span<const c10::IValue> given) {
    SignatureText text;
    text.put(&op.schema());
    for (const c10::IValue& value : given) {
        text.add(value);
    }
    return text.text();
}

std::optional<torch::jit::Stack> known_shapes(const std::string& signature) {
    KnownShapes& known = all_known_shapes();
    const std::lock_guard lock(known.mutex);
    const auto at = known.all.find(signature);
    return at == known.all.end() ? std::nullopt : std::optional(at->second);
}

void remember_shapes(const std::string& signature, const torch::jit::Stack& shapes) {
    constexpr std::size_t most = 1 << 14;
    KnownShapes& known = all_known_shapes();
    const std::lock_guard lock(known.mutex);
    if (known.all.size() >= most) {
        known.all.clear();
    }
    known.all.emplace(signature, shapes);
}

}  // namespace sim::slot
