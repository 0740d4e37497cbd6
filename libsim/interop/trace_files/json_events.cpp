#include "libsim/interop/trace_files/event_fields.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <istream>
#include <utility>
#include <vector>

namespace sim::trace_files {

namespace {

using nlohmann::json;

constexpr std::size_t most_of_a_list = 1U << 20U;  // bytes

constexpr std::size_t most_of_an_answer = 1U << 26U;  // bytes

// The text of an object whose pieces arrive one by one.
class CopiedObject {
public:
    bool is_open() const { return depth_ > 0; }
    std::size_t size() const { return text_.size(); }
    std::string take() { return std::exchange(text_, {}); }

    void open(char bracket) {
        separate();
        text_ += bracket;
        ++depth_;
    }
    void close(char bracket) {
        text_ += bracket;
        --depth_;
    }
    void key(const std::string& name) {
        value(quoted(name));
        text_ += ':';
    }
    void value(std::string_view text) {
        separate();
        text_ += text;
    }
    static std::string quoted(const std::string& text) {
        return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
    }

private:
    void separate() {
        if (!text_.empty() && text_.back() != '{' && text_.back() != '[' && text_.back() != ':') {
            text_ += ',';
        }
    }

    std::string text_;
    std::size_t depth_ = 0;
};

enum class Place { top, events, event, args, list, distributed, other_data, other };

class EventHandler : public nlohmann::json_sax<json> {
public:
    EventHandler(const std::string& file,
                 const std::function<void(const JsonEvent& event, const std::string& where)>& visit)
        : file_(file), visit_(visit) {}

    TraceHead head;
    bool has_events = false;

    bool null() override {
        if (copies("null")) {
            return true;
        }
        add_to_list("null");
        return true;
    }
    bool boolean(bool value) override {
        if (copies(value ? "true" : "false")) {
            return true;
        }
        head.partial = head.partial || (value && key_ == "partial" && !places_.empty() && places_.back() == Place::top);
        add_to_list(value ? "true" : "false");
        return scalar({"true or false", false});
    }
    bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
    bool number_float(number_float_t /*value*/, const string_t& text) override { return number(text); }
    bool string(string_t& value) override {
        if (copied_.is_open()) {
            return copies(CopiedObject::quoted(value));
        }
        if (is_in_list()) {
            add_to_list(CopiedObject::quoted(value));
        }
        return scalar({std::move(value), false});
    }
    bool binary(binary_t& /*value*/) override { return true; }

    bool key(string_t& value) override {
        if (copied_.is_open()) {
            copied_.key(value);
            return true;
        }
        key_ = std::move(value);
        return true;
    }

    bool start_object(std::size_t /*elements*/) override {
        if (copied_.is_open() || is_answer()) {
            copied_.open('{');
            return true;
        }
        Place inside = Place::other;
        add_to_list("null");
        if (places_.empty()) {
            inside = Place::top;
        } else if (places_.back() == Place::events) {
            inside = Place::event;
            event_.clear();
        } else if (places_.back() == Place::event && (key_ == "args" || key_ == "exact")) {
            inside = Place::args;
        } else if (places_.back() == Place::top && key_ == "distributedInfo") {
            inside = Place::distributed;
        } else if (places_.back() == Place::top && key_ == "otherData") {
            inside = Place::other_data;
        }
        places_.push_back(inside);
        return true;
    }

    bool end_object() override {
        if (copied_.is_open()) {
            copied_.close('}');
            if (!copied_.is_open()) {
                head.answer = copied_.take();
            }
            return true;
        }
        if (places_.back() == Place::event) {
            visit_(event_, where());
            ++number_;
        }
        places_.pop_back();
        return true;
    }

    bool start_array(std::size_t /*elements*/) override {
        if (copied_.is_open()) {
            copied_.open('[');
            return true;
        }
        const bool events = places_.empty() || (places_.back() == Place::top && key_ == "traceEvents");
        if (!events && places_.back() == Place::events) {
            refuse_scalar();
        }
        has_events = has_events || events;
        const bool listed =
            is_in_list() || (!places_.empty() && places_.back() == Place::args && row_of(true) != nullptr);
        if (listed) {
            append_to_list("[");
        }
        places_.push_back(events ? Place::events : listed ? Place::list : Place::other);
        return true;
    }

    bool end_array() override {
        if (copied_.is_open()) {
            copied_.close(']');
            return true;
        }
        const bool listed = is_in_list();
        places_.pop_back();
        if (listed) {
            list_ += ']';
            if (!is_in_list()) {
                keep({std::move(list_), false}, true);
                list_.clear();
            }
        }
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
            case Place::list:
            case Place::other_data:
            case Place::other: break;
        }
        return true;
    }

    bool number(std::string text) {
        if (copies(text)) {
            return true;
        }
        add_to_list(text);
        return scalar({std::move(text), true});
    }

    // Whether the current object is ndsim's description of the run, in Chrome JSON or in the profiler's form.
    bool is_answer() const {
        return !places_.empty() && ((places_.back() == Place::other_data && key_ == "answer") ||
                                    (places_.back() == Place::top && key_ == "ndsim_answer"));
    }

    // Whether the value is inside that object.
    bool copies(std::string_view text) {
        if (copied_.is_open()) {
            copied_.value(text);
            if (copied_.size() > most_of_an_answer) {
                throw config::UsageError(fmt::format("{}: the description of the run is longer than 64 MiB", file_));
            }
        }
        return copied_.is_open();
    }

    bool is_in_list() const { return !places_.empty() && places_.back() == Place::list; }

    // Adds an element of a list that becomes a field.
    void add_to_list(std::string_view text) {
        if (is_in_list()) {
            append_to_list(text);
        }
    }

    void append_to_list(std::string_view text) {
        list_ += list_.empty() || list_.back() == '[' ? "" : ",";
        list_ += text;
        if (list_.size() > most_of_a_list) {
            throw config::UsageError(fmt::format("{}: {} is longer than 1 MiB", where(), key_));
        }
    }

    // Returns nullptr if no field is read from the key.
    const FieldRow* row_of(bool in_args) const {
        const auto* row = std::find_if(event_fields.begin(), event_fields.end(),
                                       [&](const FieldRow& one) { return one.in_args == in_args && one.key == key_; });
        return row == event_fields.end() ? nullptr : row;
    }

    void keep(Scalar value, bool in_args) {
        if (const FieldRow* row = row_of(in_args)) {
            event_.set(row->field, std::move(value));
        }
    }

    std::int64_t whole(const Scalar& value) const {
        JsonEvent alone;
        alone.set(EventField::timestamp, value);
        try {
            return alone.whole(EventField::timestamp, "");
        } catch (const config::UsageError&) {
            throw config::UsageError(fmt::format("{}: {} must be a 64-bit whole number, not {}", file_, key_,
                                                 config::shortened(value.text)));
        }
    }

    const std::string& file_;
    const std::function<void(const JsonEvent& event, const std::string& where)>& visit_;
    std::vector<Place> places_;
    std::string key_;
    JsonEvent event_;
    std::string list_;  // the part read so far
    CopiedObject copied_;
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
