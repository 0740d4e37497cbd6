#include "libsim/config/errors.hpp"
#include "libsim/config/text_fields.hpp"
#include "libsim/fit/calibration/nccl_tests_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace sim::fit {

using namespace config;

namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
    std::istringstream in(line);
    Words words;
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    return words;
}

// Removes colours, and the prefixes that mpirun -tag-output and srun -l put before each line: "0: ", "[1,0]<stdout>:".
std::string bare(const std::string& line) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
            i = std::min(line.find_first_of("mK", i), line.size() - 1);
        } else if (line[i] != '\r') {
            text += line[i];
        }
    }
    const std::size_t first = text.find_first_not_of(' ');
    const std::size_t colon = text.find(':');
    if (first == std::string::npos || colon == std::string::npos) {
        return text;
    }
    const std::string prefix = text.substr(first, colon - first);
    const bool task = !prefix.empty() && prefix.find_first_not_of("0123456789") == std::string::npos;
    const bool tagged = prefix.starts_with("[") && prefix.ends_with(">");
    return task || tagged ? text.substr(colon + 1) : text;
}

class TableReader {
public:
    explicit TableReader(const std::string& file) { output_.file = file; }

    void take(const std::string& line) {
        ++line_;
        const Words words = words_of(bare(line));
        if (words.empty()) {
            return;
        }
        for (const std::string& word : words) {
            take_program(word);
        }
        if (words.front() == "#") {
            take_comment(words);
        } else if (is_row(words)) {
            take_row(words);
        }
    }
    NcclTestsOutput& output() { return output_; }

private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw UsageError(fmt::format("{}:{}: {}", output_.file, line_, why));
    }

    // The name comes from a command line, "Collective test starting: …", or "… concluded: …". Build scripts print
    // program names, too, so the last one before the table counts.
    void take_program(const std::string& word) {
        const std::string name = nccl_tests_program(word);
        if (name.empty() || name == output_.program) {
            return;
        }
        if (!output_.rows.empty() && !output_.program.empty()) {
            refuse(fmt::format("{}_perf follows the table of {}_perf: give each a file of its own", shortened(name),
                               output_.program));
        }
        output_.program = name;
        output_.program_line = line_;
    }

    void take_comment(const Words& words) {
        const auto value_after = [&](const char* key) {
            const auto at = std::find(words.begin(), words.end(), key);
            return at != words.end() && at + 1 != words.end() ? *(at + 1) : std::string();
        };
        if (words.size() > 2 && words[1] == "Rank") {
            const std::string host = value_after("on");
            if (ranks_.insert(words[2]).second && !host.empty()) {
                ++output_.on_hosts[host];
            }
        } else if (words.size() > 4 && words[1] == "nThread") {
            const auto count = [&](const char* key) {
                return std::clamp<std::int64_t>(whole_of(value_after(key)).value_or(0), 0, 1 << 10);
            };
            output_.ranks_of_process = static_cast<int>(count("nThread") * count("nGpus"));
        } else if (words.size() > 2 && words[1] == "size" && words[2] == "count") {
            // Older versions have no column "root" before "redop", and "error" instead of "#wrong".
            const auto column = [&](const char* name) {
                return static_cast<std::size_t>(std::find(words.begin(), words.end(), name) - words.begin()) - 1;
            };
            const auto has = [&](const char* name) {
                return std::find(words.begin(), words.end(), name) != words.end();
            };
            root_ = has("root") ? column("root") : 0;
            redop_ = has("redop") ? column("redop") : 0;
            time_ = has("time") ? column("time") : has("cputime") ? column("cputime") : 0;
            if (time_ == 0) {
                refuse("the table's head has no column \"time\"");
            }
        }
    }

    // A row begins with a size and a count, both whole, then a type.
    static bool is_row(const Words& words) {
        return words.size() >= 6 && whole_of(words[0]) && whole_of(words[1]) && !number_of(words[2]);
    }

    void take_row(const Words& words) {
        NcclTestsRow row{.line = line_};
        if (words.size() < std::max({time_ + 3, redop_ + 1, root_ + 1})) {
            refuse(
                fmt::format("the line of the table ends after {} columns, before time, algbw and busbw", words.size()));
        }
        const auto number = [&](std::size_t column, const char* name) {
            const std::optional<double> value = number_of(words[column]);
            if (!value || *value < 0) {
                refuse(fmt::format("{} must be a number, not \"{}\"", name, shortened(words[column])));
            }
            return *value;
        };
        row.bytes = *whole_of(words[0]);
        row.reduces = redop_ > 0 && words[redop_] != "none";
        row.root = root_ > 0 ? static_cast<int>(whole_of(words[root_]).value_or(-1)) : -1;
        row.microseconds = number(time_, "time");
        row.algorithm_bandwidth = number(time_ + 1, "algbw");
        row.bus_bandwidth = number(time_ + 2, "busbw");
        // "N/A" if nothing was checked; older versions print an error far below 1.
        if (words.size() > time_ + 3) {
            const double wrong = number_of(words[time_ + 3]).value_or(0);
            row.wrong = wrong >= 1 ? wrong : 0;
        }
        output_.rows.push_back(row);
    }

    NcclTestsOutput output_;
    std::set<std::string> ranks_;
    int line_ = 0;
    std::size_t redop_ = 3;
    std::size_t root_ = 4;
    std::size_t time_ = 5;
};

}  // namespace

NcclTestsOutput nccl_tests_text(const std::string& text, const std::string& file) {
    TableReader reader(file);
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        reader.take(line);
    }
    return std::move(reader.output());
}

}  // namespace sim::fit
