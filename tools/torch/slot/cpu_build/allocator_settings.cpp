#include "tools/torch/slot/cpu_build/allocator_settings.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

namespace sim::slot {

namespace {

bool is_power_of_two(std::int64_t value) {
    return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

// The words of the settings, and the punctuation between them.
class Words {
public:
    explicit Words(const std::string& text) {
        bool is_open = false;
        for (const char letter : text) {
            const bool is_sign = std::string_view(",:[]").find(letter) != std::string_view::npos;
            if (std::isspace(static_cast<unsigned char>(letter)) != 0) {
                continue;
            }
            if (is_sign || !is_open) {
                words_.emplace_back();
            }
            words_.back() += letter;
            is_open = !is_sign;
        }
    }

    bool is_at_end() const { return next_ == words_.size(); }
    bool comes(const std::string& word) const { return !is_at_end() && words_[next_] == word; }
    std::string take(const char* what) {
        TORCH_CHECK_VALUE(!is_at_end(), "The settings of the caching allocator end where ", what, " is expected");
        return words_[next_++];
    }
    void pass(const std::string& sign) {
        const std::string word = take(("'" + sign + "'").c_str());
        TORCH_CHECK_VALUE(word == sign, "The settings of the caching allocator have '", word, "' where '", sign,
                          "' is expected");
    }

private:
    std::vector<std::string> words_;
    std::size_t next_ = 0;
};

template <class Number>
Number number_in(const std::string& key, const std::string& word) {
    Number number{};
    const char* const end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, number);
    TORCH_CHECK_VALUE(error == std::errc() && at == end, key, " must be a number, is '", word, "'");
    return number;
}

bool flag_in(const std::string& key, const std::string& word) {
    TORCH_CHECK_VALUE(word == "True" || word == "False", key, " must be True or False, is '", word, "'");
    return word == "True";
}

std::int64_t bytes_in(const std::string& key, const std::string& word, std::int64_t least) {
    const auto count = number_in<std::int64_t>(key, word);
    TORCH_CHECK_VALUE(count >= least, key, " must be at least ", least, ", is ", count);
    return std::min(count, AllocatorSettings::unlimited / AllocatorSettings::mib) * AllocatorSettings::mib;
}

std::int64_t division_in(const std::string& key, const std::string& word) {
    const auto count = number_in<std::int64_t>(key, word);
    TORCH_CHECK_VALUE(count == 0 || is_power_of_two(count), key, " must be powers of 2, or 0 for none, not ", count);
    return count;
}

// One number for all sizes, or a list such as [256:2,512:4,>:8]: sizes are in MiB, and smaller ones are like the first.
void read_divisions(AllocatorSettings& settings, const std::string& key, Words& words) {
    auto& all = settings.divisions;
    if (!words.comes("[")) {
        all.fill(division_in(key, words.take("a number")));
        return;
    }
    words.pass("[");
    std::size_t next = 0;
    while (!words.comes("]")) {
        const std::string size = words.take("a size");
        words.pass(":");
        const std::int64_t count = division_in(key, words.take("a number"));
        if (size == ">") {
            std::fill(all.begin() + static_cast<std::ptrdiff_t>(next), all.end(), count);
        } else {
            const auto mib = number_in<std::int64_t>(key, size);
            TORCH_CHECK_VALUE(is_power_of_two(mib), key, " must name sizes that are powers of 2, not ", mib);
            const auto row =
                std::min(static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(mib))), all.size() - 1);
            std::fill(all.begin() + static_cast<std::ptrdiff_t>(next == 0 ? 0 : row),
                      all.begin() + static_cast<std::ptrdiff_t>(row) + 1, count);
            next = row + 1;
        }
        if (!words.comes("]")) {
            words.pass(",");
        }
    }
    words.pass("]");
}

using Reader = void (*)(AllocatorSettings&, const std::string& key, Words&);

void read_shared_segment(AllocatorSettings& settings, const std::string& key, Words& words) {
    constexpr std::int64_t above_requests = 11;
    settings.shared_segment = bytes_in(key, words.take("a number"), above_requests);
}

void read_oversize(AllocatorSettings& settings, const std::string& key, Words& words) {
    settings.oversize = bytes_in(key, words.take("a number"), settings.shared_segment / AllocatorSettings::mib);
}

void read_most_unused(AllocatorSettings& settings, const std::string& key, Words& words) {
    settings.most_unused = bytes_in(key, words.take("a number"), settings.shared_segment / AllocatorSettings::mib);
}

void read_garbage_threshold(AllocatorSettings& settings, const std::string& key, Words& words) {
    settings.garbage_threshold = number_in<double>(key, words.take("a number"));
    TORCH_CHECK_VALUE(settings.garbage_threshold > 0 && settings.garbage_threshold < 1, key,
                      " must be above 0 and below 1, is ", settings.garbage_threshold);
}

void read_expands(AllocatorSettings& settings, const std::string& key, Words& words) {
    settings.expands = flag_in(key, words.take("True or False"));
}

void read_fraction(AllocatorSettings& settings, const std::string& key, Words& words) {
    settings.fraction = number_in<double>(key, words.take("a number"));
    TORCH_CHECK_VALUE(*settings.fraction >= 0 && *settings.fraction <= 1, key, " must be from 0 to 1, is ",
                      *settings.fraction);
}

void read_backend(AllocatorSettings& /*settings*/, const std::string& key, Words& words) {
    const std::string name = words.take("a name");
    TORCH_CHECK_VALUE(name == "native" || name == "cudaMallocAsync", key, " must be native or cudaMallocAsync, is '",
                      name, "'");
    TORCH_CHECK_VALUE(name == "native", key,
                      ":cudaMallocAsync is simulated in PyTorch's builds for CUDA alone, and this one is for the CPU");
}

void read_early_error(AllocatorSettings& /*settings*/, const std::string& key, Words& words) {
    TORCH_CHECK_VALUE(!flag_in(key, words.take("True or False")), key,
                      ":True is simulated in PyTorch's builds for CUDA alone, and this one is for the CPU");
}

// Settings of host memory or locks, which are checked and ignored.
void read_flag_of_host(AllocatorSettings& /*settings*/, const std::string& key, Words& words) {
    flag_in(key, words.take("True or False"));
}

void read_number_in_host(AllocatorSettings& /*settings*/, const std::string& key, Words& words) {
    number_in<std::int64_t>(key, words.take("a number"));
}

void read_threads(AllocatorSettings& /*settings*/, const std::string& key, Words& words) {
    constexpr std::int64_t most = 128;
    const auto count = number_in<std::int64_t>(key, words.take("a number"));
    TORCH_CHECK_VALUE(is_power_of_two(count) && count <= most, key, " must be a power of 2 up to ", most, ", is ",
                      count);
}

const std::map<std::string, Reader>& readers() {
    static const auto* const all =
        new std::map<std::string, Reader>{{"backend", &read_backend},
                                          {"expandable_segments", &read_expands},
                                          {"garbage_collection_threshold", &read_garbage_threshold},
                                          {"graph_capture_record_stream_reuse", &read_flag_of_host},
                                          {"large_segment_size_mb", &read_shared_segment},
                                          {"max_non_split_rounding_mb", &read_most_unused},
                                          {"max_split_size_mb", &read_oversize},
                                          {"per_process_memory_fraction", &read_fraction},
                                          {"pinned_free_catch_all", &read_flag_of_host},
                                          {"pinned_max_cached_size_mb", &read_number_in_host},
                                          {"pinned_max_round_threshold_mb", &read_number_in_host},
                                          {"pinned_num_register_threads", &read_number_in_host},
                                          {"pinned_reserve_segment_size_mb", &read_number_in_host},
                                          {"pinned_use_background_threads", &read_flag_of_host},
                                          {"pinned_use_cuda_host_register", &read_flag_of_host},
                                          {"release_lock_on_cudamalloc", &read_flag_of_host},
                                          {"roundup_power2_divisions", &read_divisions},
                                          {"throw_on_cudamalloc_oom", &read_early_error}};
    return *all;
}

AllocatorSettings& settings_in_use() {
    static AllocatorSettings settings;
    return settings;
}

}  // namespace

std::int64_t AllocatorSettings::rounded(std::int64_t bytes) const {
    const auto size = static_cast<std::uint64_t>(bytes);
    const int from_one_mib = std::bit_width(size) - std::bit_width(static_cast<std::uint64_t>(mib));
    const int row = std::clamp(from_one_mib, 0, static_cast<int>(divisions.size()) - 1);
    const std::int64_t parts = divisions[static_cast<std::size_t>(row)];
    const bool is_divided = parts > 1 && bytes > grain * parts;
    const std::int64_t step = is_divided ? static_cast<std::int64_t>(std::bit_floor(size)) / parts : grain;
    return std::max(grain, (bytes + step - 1) / step * step);
}

const AllocatorSettings& allocator_settings() {
    return settings_in_use();
}

// Settings of sizes that the text does not name return to their defaults; the others stay unchanged.
void change_allocator_settings(const std::string& text) {
    AllocatorSettings changed = settings_in_use();
    changed.oversize = AllocatorSettings::unlimited;
    changed.garbage_threshold = 0;
    changed.divisions = {};
    Words words(text);
    while (!words.is_at_end()) {
        const std::string key = words.take("a setting");
        const auto reader = readers().find(key);
        TORCH_CHECK_VALUE(reader != readers().end(), "The caching allocator has no setting '", key, "'");
        words.pass(":");
        reader->second(changed, key, words);
        if (!words.is_at_end()) {
            words.pass(",");
        }
    }
    settings_in_use() = changed;
}

void read_allocator_settings() {
    static const bool is_read = [] {
        for (const char* const name : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}) {
            if (const char* const text = std::getenv(name)) {
                change_allocator_settings(text);
                break;
            }
        }
        return true;
    }();
    static_cast<void>(is_read);
}

}  // namespace sim::slot
