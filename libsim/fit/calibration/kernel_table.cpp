#include "libsim/fit/calibration/kernel_table.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_fields.hpp"
#include "libsim/nearest.hpp"
#include "libsim/split.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace sim::fit {

using namespace config;

namespace {

const std::vector<std::string> table_columns{"kind",  "precision", "m",     "n",        "k",      "batch",
                                             "bytes", "sequences", "heads", "head_dim", "tokens", "seconds"};

// The largest number that a table may give: anything beyond would only overflow.
constexpr double largest_in_table = 1e15;

std::string trimmed(const std::string& field) {
    const std::size_t begin = field.find_first_not_of(" \t\r\"");
    const std::size_t end = field.find_last_not_of(" \t\r\"");
    return begin == std::string::npos ? "" : field.substr(begin, end - begin + 1);
}

class KernelTableReader {
public:
    explicit KernelTableReader(std::string file) : file_(std::move(file)) {}

    void take(const std::string& line) {
        ++line_;
        if (trimmed(line).empty() || trimmed(line).front() == '#') {
            return;
        }
        fields_.clear();
        for (const std::string& field : split(line, ',')) {
            fields_.push_back(trimmed(field));
        }
        if (names_.empty()) {
            take_names();
        } else {
            take_row();
        }
    }

    std::vector<Measurement> result() const {
        if (kernels_.empty()) {
            throw UsageError(fmt::format("{}: has no kernel; a line of names, then one for each: {}", file_,
                                         fmt::join(table_columns, ",")));
        }
        return kernels_;
    }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw UsageError(fmt::format("{}:{}: {}", file_, line_, why));
    }

    void take_names() {
        names_ = fields_;
        for (const char* needed : {"kind", "seconds"}) {
            const auto count = std::count(names_.begin(), names_.end(), needed);
            if (count != 1) {
                refuse(fmt::format("{} column \"{}\"{}", count == 0 ? "there is no" : "there is more than one", needed,
                                   count == 0 ? did_you_mean(needed, names_) : ""));
            }
        }
    }

    std::string text(const char* column) const {
        const auto at = std::find(names_.begin(), names_.end(), column);
        return at == names_.end() ? "" : fields_[static_cast<std::size_t>(at - names_.begin())];
    }

    double number(const char* column, double otherwise = 0) const {
        const std::string field = text(column);
        if (field.empty() && otherwise > 0) {
            return otherwise;
        }
        const std::optional<double> value = number_of(field);
        if (!value || !(*value > 0 && *value <= largest_in_table)) {
            refuse(
                fmt::format("{} of {} must be a number above 0, not \"{}\"", column, text("kind"), shortened(field)));
        }
        return *value;
    }

    template <class Name>
    std::size_t one_of(const char* column, const std::vector<Name>& values) const {
        std::vector<std::string> names;
        for (const Name& value : values) {
            names.emplace_back(name_of(value));
        }
        const auto at = std::find(names.begin(), names.end(), text(column));
        if (at == names.end()) {
            refuse(fmt::format("{} must be one of {}, not \"{}\"", column, fmt::join(names, ", "),
                               shortened(text(column))));
        }
        return static_cast<std::size_t>(at - names.begin());
    }

    void take_row() {
        if (fields_.size() != names_.size()) {
            refuse(fmt::format("has {} fields, and the line of names {}", fields_.size(), names_.size()));
        }
        using training::Precision;
        static const std::vector<Precision> precisions{Precision::fp32, Precision::fp16, Precision::bf16,
                                                       Precision::fp8};
        TimedKernel kernel;
        kernel.kind = kernel_kinds()[one_of("kind", kernel_kinds())];
        if (kernel.kind != KernelKind::memory) {
            kernel.precision = precisions[one_of("precision", precisions)];
        }
        switch (kernel.kind) {
            case KernelKind::forward:
            case KernelKind::input_gradient:
            case KernelKind::weight_gradient:
                kernel.gemm = {number("m"), number("n"), number("k"), number("batch", 1)};
                break;
            case KernelKind::memory: kernel.bytes = number("bytes"); break;
            case KernelKind::flash_forward:
            case KernelKind::flash_backward:
                kernel.sequences = number("sequences", 1);
                kernel.heads = number("heads");
                kernel.head_dim = number("head_dim");
                kernel.tokens = number("tokens");
                break;
        }
        kernels_.push_back({file_, line_, number("seconds"), kernel});
    }

    std::string file_;
    int line_ = 0;
    std::vector<std::string> names_;
    std::vector<std::string> fields_;
    std::vector<Measurement> kernels_;
};

}  // namespace

std::vector<Measurement> read_kernel_table(const std::string& text, const std::string& file) {
    KernelTableReader reader(file);
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        reader.take(line);
    }
    return reader.result();
}

}  // namespace sim::fit
