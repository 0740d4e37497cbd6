// Rules that Holistic Trace Analysis requires of one rank's PyTorch profiler trace; each violation is a line.
//
//   file     has a line with "distributedInfo": {"rank": N, exactly so; one ProfilerStep#0, which spans everything
//   event    ts exists and is whole, so that nothing is rounded inwards
//   kernel   has stream and correlation; one launch with its correlation, not later; slices of a stream do not overlap
//   name     communication begins with ncclKernel, copies contain Memcpy, computation neither
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace sim::test {

class KinetoRules {
public:
    std::vector<std::string> broken_in(const std::string& text, int rank) {
        if (text.find(fmt::format("\n  \"distributedInfo\": {{\"rank\": {},", rank)) == std::string::npos) {
            broken_.push_back("no line with distributedInfo");
        }
        const auto trace = nlohmann::json::parse(text, nullptr, false);
        if (!trace.is_object() || !trace.contains("traceEvents")) {
            return {"no object with traceEvents"};
        }
        for (const auto& event : trace["traceEvents"]) {
            check_event(event);
        }
        for (const auto& [correlation, launch] : launches_) {
            if (!launch.second) {
                broken_.push_back(fmt::format("launch {} starts no kernel", correlation));
            }
        }
        if (step_end_ < last_end_) {
            broken_.push_back("ProfilerStep#0 does not cover all");
        }
        return broken_;
    }

private:
    using Json = nlohmann::json;

    void expect(bool holds, const std::string& rule, const Json& event) {
        if (!holds) {
            broken_.push_back(rule + ": " + event.dump().substr(0, 300));
        }
    }

    void check_event(const Json& event) {
        if (!event.contains("ts") || !event["ts"].is_number_unsigned()) {
            return expect(false, "ts is whole", event);
        }
        const std::string category = event.value("cat", "");
        if (event.at("ph") != "X") {
            return;
        }
        expect(event.at("dur").is_number_unsigned(), "dur is whole", event);
        const std::int64_t begin = event["ts"];
        const std::int64_t end = begin + event["dur"].get<std::int64_t>();
        if (category == "user_annotation") {
            const bool is_whole = event["name"] == "ProfilerStep#0";
            expect(is_whole || event.at("args").value("kind", "") == "step", "one step of the profiler", event);
            step_end_ = is_whole ? end : step_end_;
        } else if (category == "cuda_runtime") {
            const bool is_new = launches_.try_emplace(event.at("args").at("correlation"), begin, false).second;
            expect(is_new, "a correlation has one launch", event);
        } else {
            check_kernel(event, begin, end);
        }
    }

    void check_kernel(const Json& event, std::int64_t begin, std::int64_t end) {
        const Json& args = event.at("args");
        const std::string category = event["cat"];
        expect(category == "kernel" || category == "gpu_memcpy", "a category of the GPU", event);
        last_end_ = std::max(last_end_, end);
        const std::int64_t stream = args.at("stream");
        expect(stream >= 0 && begin >= free_at_[stream], "slices of a stream do not overlap", event);
        free_at_[stream] = end;
        const auto launch = launches_.find(args.at("correlation"));
        const bool launched = launch != launches_.end() && !launch->second.second && launch->second.first <= begin;
        expect(launched, "a kernel has a launch of its own", event);
        if (launched) {
            launch->second.second = true;
        }
        const std::string name = event["name"];
        const bool computes = args.at("kind") == "compute";
        const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
        expect(name.starts_with("ncclKernel") == !computes && has("nccl") == !computes,
               "communication alone is called ncclKernel", event);
        expect((has("Memcpy") || has("Memset")) == (category == "gpu_memcpy"), "copies alone are called Memcpy", event);
        expect(args.at("ps").get<std::int64_t>() / 1'000'000 == begin, "ts is the exact time, cut down", event);
    }

    std::vector<std::string> broken_;
    std::map<std::int64_t, std::pair<std::int64_t, bool>> launches_;  // by correlation: time, has a kernel
    std::map<std::int64_t, std::int64_t> free_at_;                    // by stream
    std::int64_t step_end_ = -1;
    std::int64_t last_end_ = 0;
};

}  // namespace sim::test
