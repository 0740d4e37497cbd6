#include "libsim/report/json_text.hpp"

#include <nlohmann/json.hpp>

namespace sim::report {

std::string json_text(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace sim::report
