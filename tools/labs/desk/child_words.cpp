#include "tools/labs/desk/child_words.hpp"

#include "libsim/config/text_file.hpp"

#include <filesystem>

namespace sim::labs {

std::string text_in(const std::string& file) {
    return std::filesystem::exists(file) ? config::read_text(file, "a text", config::written_by_programs) : "";
}

std::string last_line(const std::string& text) {
    const std::size_t end = text.find_last_not_of('\n');
    const std::size_t begin = end == std::string::npos ? std::string::npos : text.rfind('\n', end);
    return end == std::string::npos ? "" : text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

}  // namespace sim::labs
