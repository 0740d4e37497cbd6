#include "libsim/interop/trace_files/profiled_ops.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/interop/trace_files/event_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <unordered_map>

namespace sim::trace_files {

namespace {

using nlohmann::json;
using OpsById = std::unordered_map<std::int64_t, ProfiledOp>;

// A list of an event; the profiler writes none unless it records shapes.
json list_of(const JsonEvent& event, EventField field) {
    const std::string& text = event.text(field);
    const json list = json::parse(text, nullptr, false);
    return list.is_array() ? list : json::array();
}

std::vector<std::int64_t> dims_of(const json& one) {
    std::vector<std::int64_t> dims;
    for (const json& size : one) {
        if (!size.is_number_integer()) {
            return {};  // a list of tensors
        }
        dims.push_back(size.get<std::int64_t>());
    }
    return dims;
}

std::vector<std::string> texts_of(const json& list) {
    std::vector<std::string> texts;
    for (const json& one : list) {
        texts.push_back(one.is_string() ? one.get<std::string>() : "");
    }
    return texts;
}

ProfiledOp op_of(const JsonEvent& event, std::size_t number) {
    ProfiledOp op{.name = event.text(EventField::name), .event = number};
    for (const json& one : list_of(event, EventField::input_dims)) {
        op.dims.push_back(dims_of(one));
    }
    op.types = texts_of(list_of(event, EventField::input_types));
    op.values = texts_of(list_of(event, EventField::concrete_inputs));
    return op;
}

// The profiler numbers operators as they start, and a kernel carries the number of the innermost one that launched it.
// Kernels may come before or after their operators in the file.
class ProfiledOps {
public:
    explicit ProfiledOps(const std::vector<std::string>& names) : names_(names) {}

    void take(const JsonEvent& event, const std::string& where) {
        ++number_;
        if (!event.has(EventField::external_id)) {
            return;
        }
        const std::string& category = event.text(EventField::category);
        if (category == "kernel") {
            constexpr int picoseconds = 6;  // digits of a microsecond
            const auto length = event.number(EventField::duration, picoseconds, where);
            seconds_[event.whole(EventField::external_id, where)] += static_cast<double>(length.value_or(0)) * 1e-12;
        } else if (category == "cpu_op" && is_wanted(event.text(EventField::name))) {
            ops_[event.whole(EventField::external_id, where)] = op_of(event, number_);
        }
    }

    std::vector<ProfiledOp> result() && {
        std::vector<ProfiledOp> result;
        for (auto& [id, op] : ops_) {
            const auto found = seconds_.find(id);
            if (found != seconds_.end() && found->second > 0) {
                op.seconds = found->second;
                result.push_back(std::move(op));
            }
        }
        std::sort(result.begin(), result.end(),
                  [](const ProfiledOp& a, const ProfiledOp& b) { return a.event < b.event; });
        return result;
    }

private:
    bool is_wanted(const std::string& name) const {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    }

    const std::vector<std::string>& names_;
    OpsById ops_;
    std::unordered_map<std::int64_t, double> seconds_;
    std::size_t number_ = 0;
};

}  // namespace

std::vector<ProfiledOp> read_profiled_ops(const std::string& file, const std::vector<std::string>& names) {
    GzipInput in(file);
    ProfiledOps ops(names);
    for_each_event(in, file, [&](const JsonEvent& event, const std::string& where) { ops.take(event, where); });
    return std::move(ops).result();
}

}  // namespace sim::trace_files
