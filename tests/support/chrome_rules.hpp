// Rules that viewers such as Perfetto require of a trace in Chrome JSON; each violation is a line.
//
//   event   name, ts and pid exist; ts and dur are whole nanoseconds; drawn events are sorted by ts
//   X       slices of a thread do not overlap; ts and dur are args.ps and args.dur_ps, truncated
//   s, f    one of each per id, s first, with the same name and category, inside a slice; f binds to its slice
//   C       only numbers; M: the four names that viewers read, for each thread that is drawn
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sim::test {

class ChromeRules {
public:
    std::vector<std::string> broken_in(const std::string& text) {
        const auto trace = nlohmann::json::parse(text, nullptr, false);
        if (!trace.is_object() || !trace.contains("traceEvents")) {
            return {"no object with traceEvents"};
        }
        expect(trace.value("displayTimeUnit", "") == "ns", "displayTimeUnit must be ns", trace);
        for (const auto& event : trace["traceEvents"]) {
            check_event(event);
        }
        for (const auto& [place, slices] : slices_) {
            if (!named_.contains(place)) {
                broken_.push_back(fmt::format("pid {} tid {} has no name", place.first, place.second));
            }
        }
        check_arrows();
        return broken_;
    }

private:
    using Json = nlohmann::json;
    using Place = std::pair<int, int>;  // pid, tid
    struct Slice {
        std::int64_t begin;
        std::int64_t end;
    };
    struct End {
        std::size_t number;  // of the event in the file
        std::int64_t ns;
        Place place;
        Json event;
    };

    void expect(bool holds, const std::string& rule, const Json& event) {
        if (!holds) {
            broken_.push_back(rule + ": " + event.dump().substr(0, 300));
        }
    }

    std::int64_t nanoseconds(const Json& event, const char* key) {
        const double ns = 1'000 * event.value(key, -1.0);
        expect(ns >= 0 && std::abs(ns - std::round(ns)) < 1e-3, fmt::format("{} must be whole nanoseconds", key),
               event);
        return std::llround(ns);
    }

    void check_event(const Json& event) {
        ++number_;
        const bool whole =
            event.contains("name") && event.contains("ts") && event.contains("pid") && event.contains("ph");
        expect(whole, "an event has name, ph, ts and pid", event);
        if (!whole) {
            return;
        }
        const std::string phase = event["ph"];
        const std::int64_t ns = nanoseconds(event, "ts");
        if (phase == "M") {
            return check_metadata(event);
        }
        expect(ns >= last_, "events are sorted", event);
        last_ = ns;
        if (phase == "C") {
            for (const auto& [series, value] : event.at("args").items()) {
                expect(value.is_number(), "a counter's args are numbers", event);
            }
            return;
        }
        const Place place{event["pid"], event.value("tid", -1)};
        if (phase == "X") {
            check_slice(event, place, ns);
        } else if (phase == "s" || phase == "f") {
            (phase == "s" ? departures_ : arrivals_)[event.at("id")].push_back({number_, ns, place, event});
            expect((event.value("bp", "") == "e") == (phase == "f"), "f alone has bp e", event);
        } else {
            expect(phase == "i" && event.value("s", "") == "t", "ph is X, s, f, C, M or i", event);
            slices_[place];
        }
    }

    void check_metadata(const Json& event) {
        static const std::set<std::string> read{"process_name", "process_sort_index", "thread_name",
                                                "thread_sort_index"};
        expect(read.contains(event["name"]), "metadata is what viewers read", event);
        if (event["name"] == "thread_name") {
            const Place place{event["pid"], event["tid"]};
            expect(named_.insert(place).second, "a thread has one name", event);
        }
    }

    void check_slice(const Json& event, const Place& place, std::int64_t ns) {
        const std::int64_t end = ns + nanoseconds(event, "dur");
        auto& slices = slices_[place];
        expect(slices.empty() || slices.back().end <= ns, "slices of a thread do not overlap", event);
        slices.push_back({ns, end});
        const auto ps = event.at("args").at("ps").get<std::int64_t>();
        const auto lasts = event.at("args").at("dur_ps").get<std::int64_t>();
        expect(ps / 1'000 == ns && (ps + lasts) / 1'000 == end, "ts and dur are the exact times, cut down", event);
        expect(event.at("args").at("idle_ps") <= lasts, "idle_ps is at most dur_ps", event);
    }

    bool is_inside_a_slice(const End& end) const {
        const auto slices = slices_.find(end.place);
        return slices != slices_.end() &&
               std::any_of(slices->second.begin(), slices->second.end(),
                           [&](const Slice& s) { return s.begin <= end.ns && (end.ns < s.end || s.begin == s.end); });
    }

    void check_arrows() {
        for (const auto& [id, ends] : departures_) {
            const auto arrival = arrivals_.find(id);
            if (ends.size() != 1 || arrival == arrivals_.end() || arrival->second.size() != 1) {
                broken_.push_back(fmt::format("flow {} needs one s and one f", id));
                continue;
            }
            const End& from = ends.front();
            const End& to = arrival->second.front();
            expect(from.number < to.number && from.ns <= to.ns, "s comes before f", to.event);
            expect(from.event["name"] == to.event["name"] && from.event["cat"] == to.event["cat"],
                   "s and f have the same name and cat", to.event);
            expect(is_inside_a_slice(from), "s lies inside a slice", from.event);
            expect(is_inside_a_slice(to), "f lies inside a slice", to.event);
        }
        for (const auto& [id, ends] : arrivals_) {
            expect(departures_.contains(id), "f has an s", ends.front().event);
        }
    }

    std::vector<std::string> broken_;
    std::size_t number_ = 0;
    std::int64_t last_ = 0;
    std::set<Place> named_;
    std::map<Place, std::vector<Slice>> slices_;
    std::map<std::uint64_t, std::vector<End>> departures_;
    std::map<std::uint64_t, std::vector<End>> arrivals_;
};

}  // namespace sim::test
