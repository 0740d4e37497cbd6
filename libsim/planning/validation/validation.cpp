#include "libsim/planning/validation/validation.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "libsim/training/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

namespace sim::scenarios {
namespace {

// Work is taken one by one: runs differ a thousandfold in what they cost.
class Worker {
public:
    Worker(const std::vector<RunRecord>& records, const ValidationOptions& options, std::vector<RunPrediction>& results)
        : records_(records),
          options_(options),
          machines_(options.machines.empty() ? machines_of(records) : options.machines),
          results_(results) {}

    void work() {
        for (std::size_t i = next_++; i < records_.size(); i = next_++) {
            try {
                results_[i] = predict_run(records_[i], machines_, options_.changes);
            } catch (...) {
                const std::lock_guard lock(mutex_);
                failure_ = std::current_exception();
                next_ = records_.size();
            }
            const std::lock_guard lock(mutex_);
            ++done_;
            if (options_.on_done) {
                options_.on_done(done_);
            }
        }
    }
    void finish() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

private:
    const std::vector<RunRecord>& records_;
    const ValidationOptions& options_;
    const Machines machines_;
    std::vector<RunPrediction>& results_;
    std::atomic<std::size_t> next_ = 0;
    std::mutex mutex_;
    std::size_t done_ = 0;
    std::exception_ptr failure_;
};

const model::EfficiencyField& field_named(const std::string& key, const std::string& what) {
    std::vector<std::string> names;
    for (const model::EfficiencyField& field : model::efficiency_fields()) {
        if (field.name == key) {
            return field;
        }
        names.emplace_back(field.name);
    }
    throw UsageError(fmt::format("--efficiency {}: there is no \"{}\"{}", what, key, did_you_mean(key, names)));
}

void check_generation(const std::string& generation, const std::string& what) {
    std::set<std::string> known;
    for (const std::string& name : model::accelerator_names()) {
        known.insert(model::accelerator(name).generation);
    }
    if (!known.contains(generation)) {
        const std::vector<std::string> names(known.begin(), known.end());
        const std::string near = did_you_mean(generation, names);
        throw UsageError(fmt::format("--efficiency {}: there is no generation \"{}\"{}", what, generation,
                                     near.empty() ? fmt::format("; known: {}", fmt::join(names, ", ")) : near));
    }
}

EfficiencyChange change_of(const std::string& text) {
    const std::size_t dot = text.find('.');
    const std::size_t equals = text.find('=');
    if (dot == std::string::npos || equals == std::string::npos || equals < dot) {
        throw UsageError(fmt::format("--efficiency is GENERATION.KEY=VALUE, not \"{}\"", text));
    }
    const std::string generation = text.substr(0, dot);
    check_generation(generation, text);
    const model::EfficiencyField& field = field_named(text.substr(dot + 1, equals - dot - 1), text);
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, value);
    if (error != std::errc{} || stop != end || !(value >= field.lowest && value <= field.highest)) {
        throw UsageError(fmt::format("--efficiency {}: {} is a number from {:g} to {:g}", text, field.name,
                                     field.lowest, field.highest));
    }
    return {generation, field.field, value};
}

}  // namespace

std::vector<RunPrediction> predict_runs(const std::vector<RunRecord>& records, const ValidationOptions& options) {
    std::vector<RunPrediction> results(records.size());
    Worker worker(records, options, results);
    const unsigned cores = std::max(1U, options.threads > 0 ? options.threads : std::thread::hardware_concurrency());
    {
        std::vector<std::jthread> threads;
        for (unsigned i = 1; i < std::min<std::size_t>(cores, records.size()); ++i) {
            threads.emplace_back([&] { worker.work(); });
        }
        worker.work();
    }
    worker.finish();
    return results;
}

std::vector<EfficiencyChange> efficiency_changes(const std::string& text) {
    std::vector<EfficiencyChange> changes;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        changes.push_back(change_of(part));
    }
    return changes;
}

}  // namespace sim::scenarios
