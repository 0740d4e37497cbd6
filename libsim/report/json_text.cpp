#include "libsim/report/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sim::report {

namespace {

// Escapes C1 control characters: JSON allows them unescaped, but terminals obey them.
std::string with_escaped_c1(const std::string& json) {
    std::string all;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const auto next = i + 1 < json.size() ? static_cast<unsigned char>(json[i + 1]) : 0U;
        if (static_cast<unsigned char>(json[i]) == 0xc2 && next >= 0x80 && next < 0xa0) {
            all += fmt::format("\\u{:04x}", next);
            ++i;
        } else {
            all += json[i];
        }
    }
    return all;
}

}  // namespace

std::string json_text(const std::string& text) {
    return with_escaped_c1(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace sim::report
