#include "libsim/report/chunk_steps.hpp"

#include "libsim/collectives/schedules/check_schedule.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace sim::report {

namespace {

using collectives::Schedule;
using collectives::Step;
using StepsJson = nlohmann::ordered_json;

constexpr int most_members = 16;
constexpr int most_chunks = 64;
constexpr int most_cells = 20'000;  // members x chunks x steps

bool is_worth_telling(const Schedule& schedule) {
    return schedule.kind != CollectiveKind::barrier && schedule.members > 1 && schedule.steps > 0 &&
           schedule.members <= most_members && schedule.chunks <= most_chunks &&
           schedule.members * schedule.chunks * (schedule.steps + 1) <= most_cells;
}

// The messages that are received in a step of all channels.
StepsJson moves_of(const Schedule& schedule, int number) {
    StepsJson moves = StepsJson::array();
    for (int channel = 0; channel < schedule.channels; ++channel) {
        for (int member = 0; member < schedule.members; ++member) {
            const Step step = schedule.step(channel, member, number);
            if (step.from < 0) {
                continue;
            }
            std::vector<int> chunks;
            for_each_chunk(step.receive, schedule.chunks, [&](int chunk) { chunks.push_back(chunk); });
            moves.push_back({step.from, member, chunks, step.reduce});
        }
    }
    return moves;
}

StepsJson json_of(const collectives::Holdings& holdings) {
    StepsJson members = StepsJson::array();
    for (const std::vector<collectives::Held>& of_member : holdings) {
        StepsJson chunks = StepsJson::array();
        for (const collectives::Held& held : of_member) {
            chunks.push_back({held.chunk, held.of});
        }
        members.push_back(std::move(chunks));
    }
    return members;
}

}  // namespace

std::string chunk_steps(const std::string& name, const Schedule& schedule) {
    if (!is_worth_telling(schedule)) {
        return "";
    }
    StepsJson steps = StepsJson::array();
    for (const collectives::Holdings& holdings : holdings_of_steps(schedule)) {
        const int number = static_cast<int>(steps.size()) - 1;
        steps.push_back(
            {{"moves", number < 0 ? StepsJson::array() : moves_of(schedule, number)}, {"held", json_of(holdings)}});
    }
    return StepsJson{
        {"name", name}, {"members", schedule.members}, {"chunks", schedule.chunks}, {"steps", std::move(steps)}}
        .dump();
}

}  // namespace sim::report
