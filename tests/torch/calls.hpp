// Calls of PyTorch's operators on a price list, one line each, as the slot makes them.
#pragma once

#include "libsim/training/hardware.hpp"
#include "tools/torch/prices/price_list.hpp"
#include "tools/torch/seam.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sim::test {

// A tensor on a GPU.
struct On {
    std::vector<std::int64_t> sizes = {};
    seam::Type type = seam::Type::bfloat16;
    bool is_contiguous = true;
    std::uint64_t storage = 0;
    std::int64_t offset = 0;
    bool is_on_gpu = true;
    std::vector<std::int64_t> strides = {};  // empty: none in the seam's tensor, either
};
using Integers = std::vector<std::int64_t>;
using Lists = std::vector<On>;
struct None {};
using Given = std::variant<None, On, Lists, std::int64_t, bool, double, Integers>;

struct Schema {
    std::string name;
    std::vector<std::string> arguments;
    std::vector<std::string> written = {};
    std::string overload = "";
};

// The seam's values, with the memory that they refer to.
class Values {
public:
    void add(const Given& given);
    const seam::Value* data() const { return values_.data(); }
    std::span<const seam::Value> span() const { return values_; }

private:
    const seam::Tensor* kept(const Lists& tensors);

    std::deque<Lists> lists_;  // tensors_ refer to their sizes
    std::deque<std::vector<seam::Tensor>> tensors_;
    std::deque<Integers> integers_;
    std::vector<seam::Value> values_;
};

using Sold = std::vector<std::pair<std::string, std::int64_t>>;  // label and picoseconds of each kernel
std::int64_t sum_of(const Sold& kernels);
Sold sold(std::span<const torch::prices::Kernel> kernels);

// A price list for a machine.
class Shop {
public:
    explicit Shop(const char* machine = "dgx-h100") : Shop(training::machine(machine).gpu) {}
    explicit Shop(const training::Accelerator& gpu) : list(training::OperatorTimes(gpu)), times(gpu) {}

    std::int32_t known(const Schema& schema);
    Sold buy(const Schema& schema, const std::vector<Given>& arguments, const std::vector<Given>& results);

    torch::prices::PriceList list;
    training::OperatorTimes times;
};

}  // namespace sim::test
