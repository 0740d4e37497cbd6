// Rules that Perfetto's importer requires of a trace; each violation is a line.
//
//   packet    one sequence; the first clears the incremental state, all need it; timestamps never fall
//   track     described before it is used, below a described track; names and positions differ within a parent
//   slice     every END has a BEGIN on its track, none stays open, none is inside another; no time on counter tracks
//   name      interned before it is used
//   flow      an id begins once and ends once, later in the file
//   exact     the annotation ps is the timestamp before truncation
#pragma once

#include "tests/support/protobuf_reader.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sim::test {

class PerfettoRules {
public:
    std::size_t slices = 0;
    std::size_t counters = 0;
    std::size_t flows = 0;

    std::vector<std::string> broken_in(const std::string& bytes) {
        try {
            const ProtobufFields trace(bytes);
            for (const std::string& packet : trace.texts(1)) {
                check_packet(ProtobufFields(packet));
                ++packets_;
            }
        } catch (const std::exception& error) {
            broken_.push_back(fmt::format("packet {}: {}", packets_, error.what()));
        }
        for (const auto& [uuid, track] : tracks_) {
            expect(!track.open, "a slice stays open");
        }
        for (const auto& [id, place] : open_flows_) {
            expect(place.second, fmt::format("flow {} does not end", id));
        }
        flows = open_flows_.size();
        return broken_;
    }

private:
    struct Track {
        bool counter = false;
        bool open = false;
        std::uint64_t begun = 0;
    };

    void expect(bool holds, const std::string& rule) {
        if (!holds) {
            broken_.push_back(fmt::format("packet {}: {}", packets_, rule));
        }
    }

    void check_packet(const ProtobufFields& packet) {
        expect(packet.number(10) == 1, "one sequence");
        expect(packet.number(13) == (packets_ == 0 ? 3U : 2U), "incremental state is cleared once and always needed");
        if (packet.has(60)) {
            return check_track(packet.message(60));
        }
        const std::uint64_t ns = packet.number(8);
        expect(ns >= last_, "timestamps never fall");
        last_ = ns;
        if (packet.has(12)) {
            keep_names(packet.message(12));
        }
        check_event(packet.message(11), ns);
    }

    void check_track(const ProtobufFields& track) {
        expect(tracks_.emplace(track.number(1), Track{.counter = track.has(8)}).second, "a track is described once");
        if (track.has(3)) {
            expect(track.number(11) == 3, "the children of a process are ordered explicitly");
            expect(track.message(3).number(1) > 0, "process 0 is the idle process");
            return;
        }
        const std::uint64_t parent = track.number(5);
        expect(tracks_.contains(parent), "a parent is described first");
        expect(names_of_[parent].insert(track.texts(2).at(0)).second, "tracks of one name would merge");
        expect(places_of_[parent].insert(track.number(12)).second, "places differ");
    }

    void keep_names(const ProtobufFields& interned) {
        for (const std::uint32_t kind : {1U, 2U, 3U}) {
            for (const std::string& entry : interned.texts(kind)) {
                const ProtobufFields name(entry);
                expect(name.number(1) > 0, "interning ids begin at 1");
                expect(interned_[kind].emplace(name.number(1), name.texts(2).at(0)).second, "a name is interned once");
            }
        }
    }

    void check_event(const ProtobufFields& event, std::uint64_t ns) {
        const auto found = tracks_.find(event.number(11));
        expect(found != tracks_.end(), "a track is described before it is used");
        Track& track = found->second;
        const std::uint64_t type = event.number(9);
        expect(track.counter == (type == 4), "counters lie on counter tracks alone");
        if (type == 4) {
            ++counters;
            expect(event.has(30) != event.has(44), "a counter has one value");
            return;
        }
        if (type == 2) {
            expect(track.open && track.begun <= ns, "an END has a BEGIN before it");
            track.open = false;
        } else {
            expect(interned_[1].contains(event.number(3)) && interned_[2].contains(event.number(10)),
                   "category and name are interned");
            check_annotations(event, ns);
        }
        if (type == 1) {
            ++slices;
            expect(!track.open, "slices of a track do not overlap");
            track.open = true;
            track.begun = ns;
        }
        check_flows(event);
    }

    void check_annotations(const ProtobufFields& event, std::uint64_t ns) {
        std::optional<std::uint64_t> ps;
        for (const std::string& bytes : event.texts(4)) {
            const ProtobufFields annotation(bytes);
            const auto name = interned_[3].find(annotation.number(1));
            expect(name != interned_[3].end(), "an annotation's name is interned");
            if (name != interned_[3].end() && name->second == "ps") {
                ps = annotation.number(4);
            }
        }
        expect(ps && *ps / 1'000 == ns, "ps is the timestamp, not cut down");
    }

    void check_flows(const ProtobufFields& event) {
        for (const std::uint64_t id : event.numbers(47)) {
            expect(open_flows_.emplace(id, std::make_pair(packets_, false)).second, "a flow begins once");
        }
        for (const std::uint64_t id : event.numbers(48)) {
            const auto flow = open_flows_.find(id);
            expect(flow != open_flows_.end() && !flow->second.second, "a flow that ends has begun");
            if (flow != open_flows_.end()) {
                flow->second.second = true;
            }
        }
    }

    std::vector<std::string> broken_;
    std::size_t packets_ = 0;
    std::uint64_t last_ = 0;
    std::map<std::uint64_t, Track> tracks_;
    std::map<std::uint64_t, std::set<std::string>> names_of_;
    std::map<std::uint64_t, std::set<std::uint64_t>> places_of_;
    std::map<std::uint32_t, std::map<std::uint64_t, std::string>> interned_;
    std::map<std::uint64_t, std::pair<std::size_t, bool>> open_flows_;
};

}  // namespace sim::test
