#include "tools/labs/classes/seeds.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_fields.hpp"
#include "libsim/config/text_file.hpp"
#include "tools/labs/desk/seal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace sim::labs {

namespace {

constexpr const char* first_words = "# ndsim seeds of the class ";
constexpr std::uint64_t most = 999'999'999;  // the limit of ndsim lab start --seed

std::string plain(const std::string& student) {
    std::string name;
    std::copy_if(student.begin(), student.end(), std::back_inserter(name),
                 [](unsigned char c) { return std::isspace(c) == 0; });
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

std::string digest_in(const std::string& class_name, const std::string& student, const char* what) {
    return digest_of(fmt::format("{}\n{}\n{}", what, class_name, plain(student)));
}

std::string row_digest(const std::string& class_name, const std::string& student) {
    return digest_in(class_name, student, "ndsim student").substr(0, 32);
}

}  // namespace

std::uint64_t seed_of(const std::string& class_name, const std::string& student) {
    return std::stoull(digest_in(class_name, student, "ndsim seed").substr(0, 15), nullptr, 16) % most + 1;
}

std::string seeds_text(const std::string& class_name, const std::vector<Student>& roster, std::string Student::*name) {
    std::vector<std::string> rows;
    for (const Student& student : roster) {
        if ((student.*name).empty()) {
            continue;
        }
        for (const std::string& each : student.names()) {
            rows.push_back(fmt::format("{},{}\n", row_digest(class_name, each), seed_of(class_name, student.*name)));
        }
    }
    std::sort(rows.begin(), rows.end());
    std::string text = first_words + class_name + "\n";
    for (const std::string& row : rows) {
        text += row;
    }
    return text;
}

Seeds::Seeds(const std::string& file) {
    std::istringstream lines(config::read_text(file, "the seeds of a class"));
    std::string line;
    std::getline(lines, line);
    if (!line.starts_with(first_words)) {
        throw config::UsageError(fmt::format("{}:1: these are no seeds of a class, which ndsim lab kit writes", file));
    }
    class_name_ = line.substr(std::string(first_words).size());
    for (int at = 2; std::getline(lines, line); ++at) {
        const std::size_t comma = line.find(',');
        const auto seed =
            comma == std::string::npos ? std::nullopt : config::whole_of(std::string_view(line).substr(comma + 1));
        if (!seed || *seed < 1) {
            throw config::UsageError(fmt::format("{}:{}: must be a digest and a seed", file, at));
        }
        rows_.emplace_back(line.substr(0, comma), static_cast<std::uint64_t>(*seed));
    }
}

std::uint64_t Seeds::of(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
        const std::string digest = row_digest(class_name_, name);
        const auto row =
            std::find_if(rows_.begin(), rows_.end(), [&](const auto& each) { return each.first == digest; });
        if (row != rows_.end()) {
            return row->second;
        }
    }
    return 0;
}

}  // namespace sim::labs
