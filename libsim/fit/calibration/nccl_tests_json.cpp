#include "libsim/config/errors.hpp"
#include "libsim/config/text_fields.hpp"
#include "libsim/fit/calibration/nccl_tests_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sim::fit {

using namespace config;

namespace {

using Document = nlohmann::json;

constexpr int most_members = 1 << 16;

class ResultReader {
public:
    explicit ResultReader(const std::string& file) {
        output_.file = file;
        output_.unit = "result";
    }

    NcclTestsOutput read(const Document& document) {
        const auto results = document.find("results");
        if (results == document.end() || !results->is_array()) {
            throw UsageError(fmt::format("{}: has no list \"results\", as nccl-tests write it with -J", output_.file));
        }
        take_program(document);
        take_ranks(document);
        for (const Document& result : *results) {
            ++number_;
            take_row(result);
        }
        return std::move(output_);
    }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw UsageError(fmt::format("{}: result {}: {}", output_.file, number_, why));
    }

    void take_program(const Document& document) {
        const auto args = document.find("args");
        if (args != document.end() && args->is_array() && !args->empty() && args->front().is_string()) {
            output_.program = nccl_tests_program(args->front().get<std::string>());
        }
    }

    static int whole(const Document& object, const char* key) {
        const auto at = object.find(key);
        const bool there = at != object.end() && at->is_number_integer();
        return there ? static_cast<int>(std::clamp<std::int64_t>(at->get<std::int64_t>(), 0, most_members)) : 0;
    }

    // The list has only the first device of each process, however many it drives.
    void take_ranks(const Document& document) {
        const auto config = document.find("config");
        if (config == document.end() || !config->is_object()) {
            return;
        }
        const std::int64_t each = std::int64_t{whole(*config, "nthreads")} * whole(*config, "ngpus");
        output_.ranks_of_process = static_cast<int>(std::min<std::int64_t>(each, most_members));
        const auto devices = config->find("devices");
        if (devices == config->end() || !devices->is_array()) {
            return;
        }
        for (const Document& device : *devices) {
            const auto host = device.is_object() ? device.find("hostname") : device.end();
            if (device.is_object() && host != device.end() && host->is_string()) {
                int& count = output_.on_hosts[host->get<std::string>()];
                count = std::min(count + std::max(output_.ranks_of_process, 1), most_members);
            }
        }
    }

    double number(const Document& object, const char* key) const {
        const auto at = object.find(key);
        if (at == object.end() || !at->is_number() || at->get<double>() < 0) {
            refuse(fmt::format("{} must be a number from 0 on", key));
        }
        return at->get<double>();
    }

    void take_row(const Document& result) {
        if (!result.is_object()) {
            refuse("must be an object");
        }
        NcclTestsRow row{.line = number_};
        const double bytes = number(result, "size");
        if (bytes > 9e18) {
            refuse("size is larger than any array");
        }
        row.bytes = static_cast<std::int64_t>(bytes);
        const auto redop = result.find("redop");
        row.reduces = redop != result.end() && redop->is_string() && redop->get<std::string>() != "none";
        const auto root = result.find("root");  // a string padded with blanks
        if (root != result.end() && root->is_string()) {
            const std::string text = root->get<std::string>();
            row.root = static_cast<int>(
                whole_of(text.substr(std::min(text.find_first_not_of(' '), text.size()))).value_or(-1));
        }
        // One of them is null if only the other was measured.
        for (const char* body : {"out_of_place", "in_place"}) {
            const auto times = result.find(body);
            if (times != result.end() && times->is_object()) {
                row.microseconds = number(*times, times->contains("cpu_time") ? "cpu_time" : "time");
                row.algorithm_bandwidth = number(*times, "alg_bw");
                row.bus_bandwidth = number(*times, "bus_bw");
                const auto wrong = times->find("nwrong");
                row.wrong = wrong != times->end() && wrong->is_number() ? wrong->get<double>() : 0;
                output_.rows.push_back(row);
                return;
            }
        }
        refuse("has neither out_of_place nor in_place");
    }

    NcclTestsOutput output_;
    int number_ = 0;
};

}  // namespace

NcclTestsOutput nccl_tests_json(const std::string& text, const std::string& file) {
    Document document;
    try {
        document = Document::parse(text);
    } catch (const Document::exception& error) {
        throw UsageError(fmt::format("{}: {}", file, without_number(error.what())));
    }
    if (!document.is_object()) {
        throw UsageError(fmt::format("{}: must be an object with a list \"results\"", file));
    }
    return ResultReader(file).read(document);
}

}  // namespace sim::fit
