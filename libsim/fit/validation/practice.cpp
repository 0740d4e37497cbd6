#include "libsim/fit/validation/practice.hpp"

#include "libsim/fit/validation/practice_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace sim::fit {
namespace {

// The shipped practices. The first that matches holds.
const PracticeTable& shipped() {
    static const PracticeTable table = [] {
        const PracticeFile& file = practice_files().front();
        return practice_table_of(std::string(file.text), fmt::format("{}.toml", file.name));
    }();
    return table;
}

const Practice& named(std::string_view framework) {
    return *std::find_if(shipped().practices.begin(), shipped().practices.end(),
                         [&](const Practice& p) { return p.framework == framework; });
}

// 2606 for "… container 26.06"; 0 if the text names no version.
int version_in(std::string_view text) {
    constexpr std::string_view word = "container ";
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos || text.size() < at + word.size() + 5) {
        return 0;
    }
    const std::string_view version = text.substr(at + word.size(), 5);
    int year = 0;
    int month = 0;
    const bool is_version = std::from_chars(version.data(), version.data() + 2, year).ec == std::errc{} &&
                            version[2] == '.' &&
                            std::from_chars(version.data() + 3, version.data() + 5, month).ec == std::errc{};
    return is_version ? year * 100 + month : 0;
}

// Whether the versions, tables, GPUs and precisions that a row is limited to include the record's.
bool is_of(const Practice& practice, const RunRecord& record) {
    const auto any = [](const std::string& text, std::string_view words) {
        return words.empty() || mentions(text, words);
    };
    return version_in(record.source) >= practice.since &&
           any(record.source + " " + record.set + " " + record.notes, practice.also) &&
           any(record.hardware.gpu, practice.gpus) && any(record.precision, practice.precisions);
}

bool same_letter(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

const char* name_of(MemoryMeans means) {
    constexpr std::array names{"allocated", "reserved", "device"};
    return names.at(static_cast<std::size_t>(means));
}

bool mentions(std::string_view text, std::string_view words) {
    while (!words.empty()) {
        const std::size_t bar = std::min(words.find('|'), words.size());
        const std::string_view word = words.substr(0, bar);
        if (std::search(text.begin(), text.end(), word.begin(), word.end(), same_letter) != text.end()) {
            return true;
        }
        words.remove_prefix(std::min(bar + 1, words.size()));
    }
    return false;
}

const Recipe* recipe_of(const RunRecord& record, const Practice& practice) {
    const std::vector<Recipe>& recipes = shipped().recipes;
    const auto found = std::find_if(recipes.begin(), recipes.end(), [&](const Recipe& recipe) {
        return mentions(record.model.name, recipe.models) &&
               (recipe.gpus.empty() || mentions(record.hardware.gpu, recipe.gpus)) &&
               (recipe.precisions.empty() || mentions(record.precision, recipe.precisions)) &&
               version_in(record.source) >= recipe.since;
    });
    return practice.has_recipes && found != recipes.end() ? &*found : nullptr;
}

const Practice& practice_of(const RunRecord& record) {
    // The source comes first: notes may mention other frameworks for comparison.
    for (const std::string& text : {record.source + " " + record.set, record.notes}) {
        for (const Practice& practice : shipped().practices) {
            const bool zero3_of_megatron = practice.framework == "DeepSpeed ZeRO-3" && record.layout.zero != 3;
            if (!zero3_of_megatron && mentions(text, practice.words) && is_of(practice, record)) {
                // Megatron-LM's authors also publish DeepSpeed runs, for comparison.
                const bool other = practice.framework == "Megatron-LM" && record.layout.zero == 3;
                return other ? named("DeepSpeed ZeRO-3") : practice;
            }
        }
    }
    if (record.layout.tp * record.layout.pp * record.layout.ep == 1) {
        return named("PyTorch");
    }
    return named(mentions(record.flash_attention, "true|v") ? "Megatron Core" : "Megatron-LM");
}

}  // namespace sim::fit
