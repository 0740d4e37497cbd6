#include "libsim/trace_files/json_events.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <istream>
#include <vector>

namespace sim::trace_files {

namespace {

using nlohmann::json;

enum class Place { top, events, event, args, distributed, other };

class EventHandler : public nlohmann::json_sax<json> {
public:
    EventHandler(const std::string& file,
                 const std::function<void(const JsonEvent& event, const std::string& where)>& visit)
        : file_(file), visit_(visit) {}

    TraceHead head;
    bool has_events = false;

    bool null() override { return true; }
    bool boolean(bool value) override {
        head.partial = head.partial || (value && key_ == "partial" && !places_.empty() && places_.back() == Place::top);
        return scalar({"true or false", false});
    }
    bool number_integer(number_integer_t value) override { return scalar({std::to_string(value), true}); }
    bool number_unsigned(number_unsigned_t value) override { return scalar({std::to_string(value), true}); }
    bool number_float(number_float_t /*value*/, const string_t& text) override { return scalar({text, true}); }
    bool string(string_t& value) override { return scalar({std::move(value), false}); }
    bool binary(binary_t& /*value*/) override { return true; }

    bool key(string_t& value) override {
        key_ = std::move(value);
        return true;
    }

    bool start_object(std::size_t /*elements*/) override {
        Place inside = Place::other;
        if (places_.empty()) {
            inside = Place::top;
        } else if (places_.back() == Place::events) {
            inside = Place::event;
            event_.clear();
        } else if (places_.back() == Place::event && (key_ == "args" || key_ == "exact")) {
            inside = Place::args;
        } else if (places_.back() == Place::top && key_ == "distributedInfo") {
            inside = Place::distributed;
        }
        places_.push_back(inside);
        return true;
    }

    bool end_object() override {
        if (places_.back() == Place::event) {
            visit_(event_, where());
            ++number_;
        }
        places_.pop_back();
        return true;
    }

    bool start_array(std::size_t /*elements*/) override {
        const bool events = places_.empty() || (places_.back() == Place::top && key_ == "traceEvents");
        if (!events && places_.back() == Place::events) {
            refuse_scalar();
        }
        has_events = has_events || events;
        places_.push_back(events ? Place::events : Place::other);
        return true;
    }

    bool end_array() override {
        places_.pop_back();
        return true;
    }

    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const nlohmann::detail::exception& error) override {
        throw config::UsageError(fmt::format("{}: is not valid JSON: {}", file_, config::without_number(error.what())));
    }

private:
    std::string where() const { return fmt::format("{}: event {}", file_, number_); }

    [[noreturn]] void refuse_scalar() const { throw config::UsageError(fmt::format("{}: must be an object", where())); }

    bool scalar(Scalar value) {
        switch (places_.empty() ? Place::other : places_.back()) {
            case Place::events: refuse_scalar();
            case Place::event: keep(std::move(value), false); break;
            case Place::args: keep(std::move(value), true); break;
            case Place::top:
                if (key_ == "baseTimeNanoseconds") {
                    head.base_ns = whole(value);
                }
                break;
            case Place::distributed:
                if (key_ == "rank") {
                    head.rank = whole(value);
                }
                break;
            case Place::other: break;
        }
        return true;
    }

    void keep(Scalar value, bool in_args) {
        for (const FieldRow& row : event_fields) {
            if (row.in_args == in_args && row.key == key_) {
                event_.set(row.field, std::move(value));
                return;
            }
        }
    }

    std::int64_t whole(const Scalar& value) const {
        JsonEvent alone;
        alone.set(EventField::timestamp, value);
        try {
            return alone.whole(EventField::timestamp, "");
        } catch (const config::UsageError&) {
            throw config::UsageError(fmt::format("{}: {} must be a whole number of 64 bits, not {}", file_, key_,
                                                 config::shortened(value.text)));
        }
    }

    const std::string& file_;
    const std::function<void(const JsonEvent& event, const std::string& where)>& visit_;
    std::vector<Place> places_;
    std::string key_;
    JsonEvent event_;
    std::size_t number_ = 1;
};

}  // namespace

TraceHead for_each_event(GzipInput& in, const std::string& file,
                         const std::function<void(const JsonEvent& event, const std::string& where)>& visit) {
    EventHandler handler(file, visit);
    std::istream stream(&in);
    json::sax_parse(stream, &handler);
    if (!handler.has_events) {
        throw config::UsageError(
            fmt::format("{}: is no trace: it has neither a list \"traceEvents\" nor is it one", file));
    }
    return handler.head;
}

}  // namespace sim::trace_files
