#include "tests/torch/calls.hpp"

#include <algorithm>
#include <numeric>

namespace sim::test {

namespace {

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;  // clang++ 14 needs this guide

}  // namespace

const seam::Tensor* Values::kept(const Lists& tensors) {
    const Lists& stays = lists_.emplace_back(tensors);
    std::vector<seam::Tensor>& made = tensors_.emplace_back();
    for (const On& one : stays) {
        made.push_back({.sizes = one.sizes.data(),
                        .strides = one.strides.empty() ? nullptr : one.strides.data(),
                        .dimensions = static_cast<std::int32_t>(one.sizes.size()),
                        .type = one.type,
                        .is_on_gpu = one.is_on_gpu,
                        .is_contiguous = one.is_contiguous,
                        .offset = one.offset,
                        .storage = one.storage});
    }
    return made.data();
}

void Values::add(const Given& given) {
    const auto value = std::visit(
        Overloaded{
            [](None) { return seam::Value{}; },
            [&](const On& one) { return seam::Value{.kind = seam::Kind::tensor, .count = 1, .tensors = kept({one})}; },
            [&](const Lists& list) {
                return seam::Value{.kind = seam::Kind::tensors,
                                   .count = static_cast<std::int32_t>(list.size()),
                                   .tensors = kept(list)};
            },
            [](std::int64_t number) { return seam::Value{.kind = seam::Kind::integer, .integer = number}; },
            [](bool flag) { return seam::Value{.kind = seam::Kind::flag, .integer = flag ? 1 : 0}; },
            [](double number) { return seam::Value{.kind = seam::Kind::number, .number = number}; },
            [&](const Integers& list) {
                return seam::Value{.kind = seam::Kind::integers,
                                   .count = static_cast<std::int32_t>(list.size()),
                                   .integers = integers_.emplace_back(list).data()};
            }},
        given);
    values_.push_back(value);
}

std::int64_t sum_of(const Sold& kernels) {
    return std::accumulate(kernels.begin(), kernels.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& kernel) { return sum + kernel.second; });
}

Sold sold(std::span<const torch::prices::Kernel> kernels) {
    Sold all;
    for (const torch::prices::Kernel& kernel : kernels) {
        all.emplace_back(kernel.label, kernel.time.count());
    }
    return all;
}

std::int32_t Shop::known(const Schema& schema) {
    std::vector<const char*> names;
    const auto written = std::make_unique<bool[]>(schema.arguments.size());
    for (const std::string& name : schema.arguments) {
        written[names.size()] = std::find(schema.written.begin(), schema.written.end(), name) != schema.written.end();
        names.push_back(name.c_str());
    }
    return list.known({.name = schema.name.c_str(),
                       .overload = schema.overload.c_str(),
                       .arguments = names.data(),
                       .is_written = written.get(),
                       .count = static_cast<std::int32_t>(names.size())});
}

Sold Shop::buy(const Schema& schema, const std::vector<Given>& arguments, const std::vector<Given>& results) {
    Values given;
    Values made;
    for (std::size_t at = 0; at < schema.arguments.size(); ++at) {
        given.add(at < arguments.size() ? arguments[at] : Given{None{}});
    }
    for (const Given& one : results) {
        made.add(one);
    }
    return sold(list.kernels(known(schema), given.data(), made.span()));
}

}  // namespace sim::test
