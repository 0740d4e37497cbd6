#include "tools/torch/prices/price_list.hpp"

#include <set>
#include <utility>

namespace sim::torch::prices {

PriceList::PriceList(training::OperatorTimes times) : times_(std::move(times)) {}

std::int32_t PriceList::known(const seam::Operator& schema) {
    operators_.emplace_back(schema);
    return static_cast<std::int32_t>(operators_.size() - 1);
}

std::span<const Kernel> PriceList::kernels(std::int32_t op, const seam::Value* arguments,
                                           std::span<const seam::Value> results) {
    const Operator& known = operators_[static_cast<std::size_t>(op)];
    if (is_free(known.kind)) {
        ++views_;
        return {};
    }
    const Call call(known, arguments, results);
    if (is_compiled) {
        return of_chains(op, call, arguments, results);
    }
    chains_.see(results);
    return entry(op, call, arguments, results).charged();
}

std::span<const Kernel> PriceList::flush() {
    charged_.clear();
    charge(chains_.end());
    return charged_;
}

std::vector<std::string> PriceList::guessed() const {
    std::set<std::string> names;
    for (const Row& row : rows()) {
        if (row.is_guessed) {
            names.insert(row.label);
        }
    }
    return {names.begin(), names.end()};
}

Entry& PriceList::entry(std::int32_t op, const Call& call, const seam::Value* arguments,
                        std::span<const seam::Value> results) {
    const std::uint64_t switches = (tf32.products ? 1U : 0U) | (tf32.convolutions ? 2U : 0U);
    signature_.take(static_cast<std::uint64_t>(op) << 2U | switches, call.op(), arguments, results);
    if (Entry* known = prices_.find(signature_)) {
        return *known;
    }
    Entry& made = bill_.entry(call.name(), work_of({call, times_, tf32}), call.op().kind == Kind::guessed);
    prices_.enter(signature_, made);
    return made;
}

std::span<const Kernel> PriceList::of_chains(std::int32_t op, const Call& call, const seam::Value* arguments,
                                             std::span<const seam::Value> results) {
    charged_.clear();
    if (chains_.takes(call)) {
        charge(chains_.add(call));
        return charged_;
    }
    charge(chains_.alone(call));
    const auto own = entry(op, call, arguments, results).charged();
    charged_.insert(charged_.end(), own.begin(), own.end());
    return charged_;
}

void PriceList::charge(const Chains::Ended& chains) {
    for (const auto& chain : chains) {
        Work work;
        if (const std::int64_t bytes = chain->bytes(); bytes > 0) {
            work = {.kernels = {times_.memory(static_cast<double>(bytes))},
                    .how = memory_traffic,
                    .done = static_cast<double>(bytes),
                    .at_most = times_.gpu().memory_bandwidth};
        }
        const auto charged = bill_.entry(chain->label(), work, false).charged();
        charged_.insert(charged_.end(), charged.begin(), charged.end());
    }
}

}  // namespace sim::torch::prices
