// The bill lists what operators cost in a run: --explain-cost.
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

// How long the GPU is busy, and with what. The label lives as long as the bill.
struct Kernel {
    std::string_view label;
    Duration time;
    Share share = {};  // of an operator with several kernels the first one's is that of all
};

// What one signature costs, and how often it was bought.
struct Entry {
    std::string label;
    Work work;
    bool is_guessed = false;
    std::vector<Kernel> kernels = {};
    std::int64_t count = 0;

    std::span<const Kernel> bought() {
        ++count;
        return kernels;
    }
};

// An operator and a way of pricing.
struct Row {
    std::string label;
    std::int64_t count = 0;
    double seconds = 0;  // of the GPU
    std::string how;
    std::optional<double> of_peak = {};  // none: it has no kernel
    bool is_guessed = false;
    double share = 0;
};
const report::Record<Row>& row_record();

class Bill {
public:
    // Equal work under one label is one entry, which stays where it is.
    Entry& entry(const std::string& label, const Work& work, bool is_guessed);

    // The dearest first; last, the `views`: operators that were dispatched without a kernel.
    std::vector<Row> rows(std::int64_t views) const;

private:
    using Key = std::tuple<std::string, Work, bool>;
    std::deque<Entry> entries_;
    std::map<Key, Entry*> by_work_;
};

// For people. `most`: so many rows; the others in one. Guessed operators are named in the last line.
std::string bill_text(const std::vector<Row>& rows, std::optional<std::size_t> most = {});

}  // namespace sim::torch::prices
