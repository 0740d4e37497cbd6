#include "libsim/collectives/time/collective_time.hpp"

#include "libsim/check.hpp"
#include "libsim/collectives/time/collective_ways.hpp"

#include <algorithm>

namespace sim::collectives {

namespace {

void check_question(const CollectiveQuestion& question) {
    const auto members = static_cast<std::size_t>(question.schedule.members);
    check(question.ranks.size() == members, "a schedule of {} members has {} ranks", members, question.ranks.size());
    check(question.arrivals.empty() || question.arrivals.size() == members, "{} members have {} arrivals", members,
          question.arrivals.size());
    require_price(question.cluster, question.size);
}

std::optional<Found> found_by(Way way, const CollectiveQuestion& question) {
    switch (way) {
        case Way::closed_form: return by_closed_form(question);
        case Way::recurrence: return by_recurrence(question);
        case Way::synchronous_steps: return by_synchronous_steps(question);
        case Way::flows: return by_flows(question);
    }
    check(false, "there is no way {}", static_cast<int>(way));
    return std::nullopt;
}

}  // namespace

const char* name_of(Way way) {
    switch (way) {
        case Way::closed_form: return "closed form";
        case Way::recurrence: return "recurrence";
        case Way::synchronous_steps: return "synchronous steps";
        case Way::flows: return "flows";
    }
    return "?";
}

Time CollectiveTime::end() const {
    return *std::max_element(ends.begin(), ends.end());
}

std::optional<CollectiveTime> collective_time_by(Way way, const CollectiveQuestion& question) {
    check_question(question);
    std::optional<Found> found = found_by(way, question);
    if (!found) {
        return std::nullopt;
    }
    return CollectiveTime{.ends = std::move(found->ends),
                          .way = way,
                          .why = std::move(found->why),
                          .messages = found->walked.messages,
                          .sent = time_for(chunk_of(question).amount, {found->walked.chunks, 1}).count()};
}

CollectiveTime collective_time(const CollectiveQuestion& question) {
    // From the cheapest to the most expensive. Each answers only where it is exact, so the order has no effect on the
    // time.
    for (const Way way : {Way::closed_form, Way::recurrence, Way::synchronous_steps}) {
        if (auto time = collective_time_by(way, question)) {
            return *std::move(time);
        }
    }
    return *collective_time_by(Way::flows, question);
}

std::vector<Time> arrivals_of(const CollectiveQuestion& question) {
    std::vector<Time> arrivals;
    for (int channel = 0; channel < question.schedule.channels; ++channel) {
        arrivals.insert(arrivals.end(), question.arrivals.begin(), question.arrivals.end());
    }
    arrivals.resize(question.ranks.size() * static_cast<std::size_t>(question.schedule.channels));
    return arrivals;
}

std::vector<Time> last_of_channels(const std::vector<Time>& ends, int members) {
    const auto count = static_cast<std::size_t>(members);
    std::vector<Time> last(ends.begin(), ends.begin() + members);
    for (std::size_t i = count; i < ends.size(); ++i) {
        last[i % count] = std::max(last[i % count], ends[i]);
    }
    return last;
}

}  // namespace sim::collectives
