// Flows over shared links, the simple way: at every instant all rates are solved again and all flows are visited.
// FlowNetwork must agree with it to the last bit; it shares nothing with FlowNetwork but the arithmetic.
#pragma once

#include "libsim/network/flows.hpp"
#include "tests/support/max_min.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace sim::test {

class PlainFlows {
public:
    PlainFlows(std::vector<FlowNetwork::Channel> links, std::vector<PlannedFlow> flows)
        : links_(std::move(links)), flows_(std::move(flows)), states_(flows_.size()) {
        for (std::size_t i = 0; i < flows_.size(); ++i) {
            double latency = 0;
            for (const LinkId link : flows_[i].route) {
                latency += links_[link].latency;
            }
            states_[i].event = flows_[i].at + latency;
            states_[i].work = flows_[i].route.empty() ? 0 : flows_[i].bytes * 1e12;
        }
        for (const auto& link : links_) {
            bandwidths_.push_back(link.bytes_per_second);
        }
    }

    // The end of each flow.
    std::vector<double> finish_times() {
        while (step()) {
        }
        std::vector<double> result;
        for (const State& state : states_) {
            result.push_back(state.since);
        }
        return result;
    }

private:
    enum class Phase : std::uint8_t { latency, draining, ended };
    struct State {
        Phase phase = Phase::latency;
        double event = 0;  // the end of the latency, or of the flow
        double rate = 0;
        double since = 0;
        double work = 0;
    };

    bool step() {
        double now = std::numeric_limits<double>::infinity();
        for (const State& state : states_) {
            now = state.phase == Phase::ended ? now : std::min(now, state.event);
        }
        if (now == std::numeric_limits<double>::infinity()) {
            return false;
        }
        for (State& state : states_) {
            if (state.phase != Phase::ended && state.event == now) {
                state.phase = state.phase == Phase::latency && state.work > 0 ? Phase::draining : Phase::ended;
                state.since = now;
            }
        }
        solve(now);
        return true;
    }

    void solve(double now) {
        std::vector<std::vector<LinkId>> routes;
        std::vector<State*> draining;
        for (std::size_t i = 0; i < flows_.size(); ++i) {
            if (states_[i].phase == Phase::draining) {
                routes.push_back(flows_[i].route);
                draining.push_back(&states_[i]);
            }
        }
        const std::vector<double> rates = test::max_min_rates(bandwidths_, routes);
        for (std::size_t i = 0; i < draining.size(); ++i) {
            State& state = *draining[i];
            if (rates[i] != state.rate) {
                state.work = std::max(0.0, state.work - state.rate * (now - state.since));
                state.since = now;
                state.rate = rates[i];
                state.event = now + state.work / state.rate;
            }
        }
    }

    std::vector<FlowNetwork::Channel> links_;
    std::vector<PlannedFlow> flows_;
    std::vector<State> states_;
    std::vector<double> bandwidths_;
};

}  // namespace sim::test
