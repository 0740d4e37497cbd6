#include "libsim/fit/calibration/calibrated_machine_file.hpp"

#include "libsim/report/json_text.hpp"
#include "libsim/training/hardware/entries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace sim::fit {

namespace {

using training::HardwareEntry;

struct FileNumber {
    std::string key;  // efficiency.gemm_peak, network.ring.ll.base
    double value = 0;
    std::string source;
    const char* confidence = "A";
};

std::string source_of(const FoundNumber& found) {
    std::string text = fmt::format("{}: +- {:.1f} %", found.source, found.uncertainty * 100);
    if (found.number->field == nullptr) {
        text += fmt::format(", {:.4g} times what it was", found.value);
    }
    if (!found.with.empty()) {
        text += fmt::format(", trades off with {}", fmt::join(found.with, ", "));
    }
    return text;
}

std::vector<FileNumber> found_numbers(const Calibration& calibration) {
    std::vector<FileNumber> numbers;
    training::Machine machine = calibration.machine;
    for (const FoundNumber& one : calibration.numbers) {
        if (one.finding == Finding::kept) {
            continue;
        }
        const char* confidence = one.finding == Finding::found ? "A" : "C";
        if (one.number->field != nullptr) {
            numbers.push_back({std::string("efficiency.") + one.number->name, one.value, source_of(one), confidence});
            if (one.by == MeasuredBy::kernels && one.number->alone != nullptr) {
                numbers.push_back(
                    {fmt::format("efficiency.{}", key_of(one.number->alone)), one.value, source_of(one), confidence});
            }
            continue;
        }
        for (const NamedLatency& latency : latencies_of(machine.network, one.number->latencies)) {
            numbers.push_back({"network." + latency.key, *latency.seconds, source_of(one), confidence});
        }
    }
    return numbers;
}

struct ValueText {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(double d) const { return fmt::format("{:.12g}", d); }
    std::string operator()(const std::string& s) const { return report::json_text(s); }
    std::string operator()(const std::vector<std::string>& list) const {
        std::vector<std::string> quoted;
        for (const std::string& one : list) {
            quoted.push_back(report::json_text(one));
        }
        return fmt::format("[{}]", fmt::join(quoted, ", "));
    }
    std::string operator()(const training::OtherKind& other) const { return other.what; }
};

std::string line_of(const std::string& key, const std::string& value, const std::string& source,
                    const std::string& confidence) {
    if (source.empty() && confidence.empty()) {
        return fmt::format("{} = {}\n", key, value);
    }
    std::string line = fmt::format("{} = {{ value = {}", key, value);
    line += source.empty() ? "" : fmt::format(", source = {}", report::json_text(source));
    line += confidence.empty() ? "" : fmt::format(", confidence = \"{}\"", confidence);
    return line + " }\n";
}

// The lines of a file by table; "" holds the lines above all tables.
class Lines {
public:
    void add(const std::string& key, const std::string& value, const std::string& source,
             const std::string& confidence) {
        std::string table;
        for (const char* one : {"accelerator.", "efficiency.", "network."}) {
            table = key.starts_with(one) ? std::string(one) : table;
        }
        by_table_[table] += line_of(key.substr(table.size()), value, source, confidence);
    }
    std::string text() const {
        std::string text;
        for (const auto& [table, lines] : by_table_) {
            text += table.empty() ? lines : fmt::format("\n[{}]\n{}", table.substr(0, table.size() - 1), lines);
        }
        return text;
    }

private:
    std::map<std::string, std::string> by_table_;
};

void add_base(const std::string& text, const std::string& base, const std::vector<FileNumber>& found, Lines& lines) {
    for (const HardwareEntry& entry : training::hardware_entries(text, base)) {
        // A machine may give an efficiency itself or through its accelerator; both mean the same, and the machine's
        // wins.
        const bool replaced = std::any_of(found.begin(), found.end(), [&](const FileNumber& one) {
            return entry.key == one.key || entry.key == "accelerator." + one.key;
        });
        if (!replaced && entry.key != "name") {
            const bool is_number =
                std::holds_alternative<double>(entry.value) || std::holds_alternative<bool>(entry.value);
            lines.add(entry.key, std::visit(ValueText{}, entry.value), is_number ? entry.source : "",
                      is_number ? entry.confidence : "");
        }
    }
}

}  // namespace

std::string calibrated_machine_file(const Calibration& calibration, const std::string& base,
                                    const std::string& base_text, const std::string& name) {
    const std::vector<FileNumber> found = found_numbers(calibration);
    Lines lines;
    lines.add("name", report::json_text(name), "", "");
    if (base_text.empty()) {
        lines.add("base", report::json_text(base), "", "");
    } else {
        add_base(base_text, base, found, lines);
    }
    for (const FileNumber& one : found) {
        lines.add(one.key, fmt::format("{:.6g}", one.value), one.source, one.confidence);
    }
    std::string head =
        "# Made by `ndsim calibrate`. A: found to within 5 %; C: less certain, or only together with "
        "another number.\n";
    for (const FileError& file : calibration.files) {
        head += fmt::format("# {}: {} measurements, error {:.1f} % before, {:.1f} % after\n",
                            report::json_text(file.file.substr(file.file.find_last_of('/') + 1)), file.measurements,
                            file.before * 100, file.after * 100);
    }
    return head + lines.text();
}

}  // namespace sim::fit
