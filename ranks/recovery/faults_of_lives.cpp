#include "ranks/recovery/faults_of_lives.hpp"

#include "libsim/faults/conditions.hpp"
#include "libsim/faults/drawn.hpp"

#include <algorithm>
#include <optional>
#include <variant>

namespace sim::ranks {

using namespace faults;

namespace {

// Converts a fault to the ranks of a life; empty: it is over, or its rank is gone.
class Moved {
public:
    Moved(Time over, const std::vector<int>& places, bool links_are_shared)
        : over_(over), places_(&places), links_are_shared_(links_are_shared) {}

    std::optional<Injection> operator()(const KillRank& kill) const {
        return kill.at < over_ ? std::nullopt : moved(kill, &KillRank::rank);
    }
    std::optional<Injection> operator()(const KillNode& kill) const { return kill; }
    std::optional<Injection> operator()(const StopRank& stop) const { return moved(stop, &StopRank::rank); }
    std::optional<Injection> operator()(const SlowRank& slow) const { return moved(slow, &SlowRank::rank); }
    std::optional<Injection> operator()(const Noise& noise) const {
        return noise.rank < 0 ? std::optional<Injection>(noise) : moved(noise, &Noise::rank);
    }
    std::optional<Injection> operator()(const SlowLink& slow) const {
        if (links_are_shared_) {
            return slow;
        }
        const std::optional<int> a = rank_in(std::get<int>(slow.a));
        const std::optional<int> b = rank_in(std::get<int>(slow.b));
        return a && b ? std::optional<Injection>(SlowLink{*a, *b, slow.factor, slow.window}) : std::nullopt;
    }
    std::optional<Injection> operator()(const RandomFailures& /*drawn before*/) const { return std::nullopt; }
    std::optional<Injection> operator()(const DropNic& drop) const {
        if (drop.at < over_) {
            return std::nullopt;
        }
        return links_are_shared_ ? std::optional<Injection>(drop) : moved(drop, &DropNic::nic);
    }

private:
    std::optional<int> rank_in(int place) const {
        const auto at = std::find(places_->begin(), places_->end(), place);
        return at == places_->end() ? std::nullopt : std::optional(static_cast<int>(at - places_->begin()));
    }
    template <class One>
    std::optional<Injection> moved(One one, int One::*number) const {
        const std::optional<int> rank = rank_in(one.*number);
        one.*number = rank.value_or(0);
        return rank ? std::optional<Injection>(one) : std::nullopt;
    }

    Time over_;
    const std::vector<int>* places_;
    bool links_are_shared_;
};

}  // namespace

FaultsOfLives::FaultsOfLives(const std::vector<Injection>& faults, int places, const Network& network)
    : links_are_shared_(network->shared_topology() != nullptr) {
    for (const Injection& fault : drawn(faults, places, network)) {
        const auto* const node = std::get_if<KillNode>(&fault);
        if (node == nullptr) {
            faults_.push_back(fault);
            continue;
        }
        // A node is the places of its ranks in the first life: later lives number their ranks anew, and places stay.
        const Conditions of_node({&fault, 1}, places, network);
        for (int place = 0; place < places; ++place) {
            if (of_node.dies_at(place) != Time::max()) {
                faults_.push_back(KillRank{place, node->at});
            }
        }
    }
}

std::vector<Injection> FaultsOfLives::of_life(Time over, const std::vector<int>& places) const {
    std::vector<Injection> faults;
    for (const Injection& fault : faults_) {
        if (const auto moved = std::visit(Moved(over, places, links_are_shared_), fault)) {
            faults.push_back(*moved);
        }
    }
    return faults;
}

std::vector<FatalEvent> FaultsOfLives::fatal_events(const std::vector<Injection>& of_life) const {
    std::vector<FatalEvent> fatal_events;
    for (const Injection& fault : of_life) {
        if (const auto* const kill = std::get_if<KillRank>(&fault)) {
            fatal_events.push_back({.at = kill->at, .rank = kill->rank});
        } else if (const auto* const drop = std::get_if<DropNic>(&fault)) {
            fatal_events.push_back({.at = drop->at, .rank = links_are_shared_ ? -1 : drop->nic, .dies = false});
        }
    }
    std::stable_sort(fatal_events.begin(), fatal_events.end(),
                     [](const FatalEvent& a, const FatalEvent& b) { return a.at < b.at; });
    return fatal_events;
}

}  // namespace sim::ranks
