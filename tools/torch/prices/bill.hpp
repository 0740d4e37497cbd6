// The bill lists the cost of each operator in a run: --explain-cost.
#pragma once

#include "libsim/report/record.hpp"
#include "libsim/units.hpp"
#include "tools/torch/prices/work.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sim::torch::prices {

// A kernel and its time on the GPU. The label lives as long as the bill.
struct Kernel {
    std::string_view label;
    Duration time;
    Share share = {};  // if an operator has several kernels, the first carries the share of all
};

// The price of one signature, and how often it was charged.
struct Entry {
    std::string label;
    Work work;
    bool is_guessed = false;
    std::vector<Kernel> kernels = {};
    std::int64_t count = 0;

    std::span<const Kernel> charged() {
        ++count;
        return kernels;
    }
};

// An operator and a way of pricing it.
struct Row {
    std::string label;
    std::int64_t count = 0;
    double seconds = 0;  // GPU time
    std::string how;
    std::optional<double> of_peak = {};  // none: no kernel
    bool is_guessed = false;
    double share = 0;
};
const report::Record<Row>& row_record();

class Bill {
public:
    // Equal work under one label shares an entry, whose address is stable.
    Entry& entry(const std::string& label, const Work& work, bool is_guessed);

    // Rows, most expensive first; the last row is the `views`: operators that were dispatched without a kernel.
    std::vector<Row> rows(std::int64_t views) const;

private:
    using Key = std::tuple<std::string, Work, bool>;
    std::deque<Entry> entries_;
    std::map<Key, Entry*> by_work_;
};

// The bill as a text table. Rows beyond `most` are summed up in one. The last line names guessed operators.
std::string bill_text(const std::vector<Row>& rows, std::optional<std::size_t> most = {});

}  // namespace sim::torch::prices
