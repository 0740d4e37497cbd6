#include "ranks/recovery.hpp"

#include "ranks/host/run.hpp"
#include "ranks/host/stop_signal.hpp"
#include "ranks/recovery/faults_of_lives.hpp"
#include "ranks/recovery/joined_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

namespace sim::ranks {

std::span<const std::byte> Start::state_of(int rank) const {
    const auto owner = std::find(owners.begin(), owners.end(), places[static_cast<std::size_t>(rank)]);
    return from->states[static_cast<std::size_t>(owner - owners.begin())];
}

LostTime lost_time(std::span<const Life> lives) {
    LostTime sum;
    for (const Life& life : lives) {
        sum.checkpoints += life.lost.checkpoints;
        sum.lost_work += life.lost.lost_work;
        sum.detection += life.lost.detection;
        sum.repair += life.lost.repair;
        sum.restart += life.lost.restart;
    }
    return sum;
}

double effective_share(std::span<const Life> lives) {
    const double all = lives.empty() ? 0 : seconds(lives.back().end - lives.front().begin);
    return all > 0 ? 1 - seconds(lost_time(lives).all()) / all : 1;
}

namespace {

bool has(const std::vector<int>& numbers, int number) {
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

void check_policy(const RecoveryPolicy& policy) {
    if (std::min({policy.detection, policy.repair, policy.restart}) < Duration{0}) {
        throw std::invalid_argument("detection, repair and restart need 0 s or more");
    }
    if (policy.spares < 0) {
        throw std::invalid_argument(fmt::format("there are 0 spares or more, not {}", policy.spares));
    }
}

class Recovery {
public:
    Recovery(const LaunchOptions& options, const RecoveryPolicy& policy, const RecoverableProgram& program)
        : options_(&options),
          policy_(&policy),
          program_(&program),
          faults_(options.faults, options.ranks, options.cluster.network),
          timeline_(options),
          spares_(policy.spares),
          begin_(options.begin),
          pids_(static_cast<std::size_t>(options.ranks)) {
        start_.places.resize(static_cast<std::size_t>(options.ranks));
        std::iota(start_.places.begin(), start_.places.end(), 0);
        run_.result.ranks.resize(static_cast<std::size_t>(options.ranks));
    }

    Recovered run() {
        while (live()) {
        }
        finish();
        return std::move(run_);
    }

private:
    // Runs one life. True: another one follows.
    bool live() {
        std::vector<faults::Injection> faults = faults_.of_life(over_, start_.places);
        const std::vector<FatalEvent> fatal_events = faults_.fatal_events(faults);
        if (joins_lives()) {
            timeline_.begin_life(start_.places, begin_, fatal_events.empty() ? Time::max() : fatal_events.front().at);
        }
        Result result = launch_life(std::move(faults), fatal_events);
        result.ranks.resize(start_.places.size());  // none if the machine had no room for it
        Life& life = run_.lives.emplace_back();
        life.begin = begin_;
        life.end = result.end;
        life.places = start_.places;
        life.pids = result.pids;
        life.first_step = start_.first_step();
        const std::optional<Death> death = death_in(result, fatal_events);
        const bool goes_on = death && go_on(life, *death, result);
        if (!goes_on) {
            take_account(life, standing_at(result, death ? death->at : Time::max()));
            if (joins_lives()) {
                timeline_.end_life(std::vector<Time>(life.places.size(), Time::max()), result.ranks);
            }
        }
        add_up(result);
        return goes_on && !is_stopped();
    }

    // Otherwise there is one life, with the timeline of its launch.
    bool joins_lives() const { return row_of(policy_->on_fault).goes_on; }

    // A signal between two lives ends the run, as it does during a life.
    bool is_stopped() {
        const int signal = stop_.received();
        if (signal != 0) {
            run_.result.fault =
                Fault{.failure = Failure::interrupted, .signal = signal, .message = stopped_by(signal, begin_)};
        }
        return signal != 0;
    }

    Result launch_life(std::vector<faults::Injection> faults, const std::vector<FatalEvent>& fatal_events) {
        LaunchOptions life = *options_;
        life.ranks = static_cast<int>(start_.places.size());
        life.begin = begin_;
        life.faults = std::move(faults);
        life.record = options_->record && run_.lives.empty();
        if (joins_lives()) {
            life.hash_timeline = false;
            life.on_span = [this](const Span& span) { timeline_.add(span); };
            life.on_log = options_->on_log ? LogSink([this](const LogLine& line) { timeline_.add(line); }) : nullptr;
        }
        life.on_start = [this](const std::vector<int>& pids) { tell_processes(pids); };
        for (const FatalEvent& doom : fatal_events) {
            if (life.standings.empty() || doom.at > life.standings.back()) {
                life.standings.push_back(doom.at);
            }
        }
        life.standings.push_back(Time::max());
        place_slowdown(life.cluster);
        return launch(life, [this](GPU& gpu) { (*program_)(gpu, start_); });
    }

    // A slow GPU stays slow, whatever the order of its rank.
    void place_slowdown(Cluster& cluster) const {
        const std::vector<double>& of_place = options_->cluster.compute.slowdown;
        cluster.compute.slowdown.clear();
        for (std::size_t rank = 0; !of_place.empty() && rank < start_.places.size(); ++rank) {
            const auto place = static_cast<std::size_t>(start_.places[rank]);
            cluster.compute.slowdown.push_back(place < of_place.size() ? of_place[place] : 1);
        }
    }

    void tell_processes(const std::vector<int>& pids) {
        for (std::size_t rank = 0; rank < pids.size(); ++rank) {
            pids_[static_cast<std::size_t>(start_.places[rank])] = pids[rank];
        }
        if (options_->on_start) {
            options_->on_start(pids_);
        }
    }

    std::optional<Death> death_in(const Result& result, const std::vector<FatalEvent>& fatal_events) const {
        if (!result.fault || !result.fault->as_asked) {
            return std::nullopt;
        }
        // Ranks with a later time of death were ended before it.
        std::optional<Death> death;
        for (const FatalEvent& doom : fatal_events) {
            const std::vector<int>& dead = result.fault->dead;
            const bool came = doom.dies ? has(dead, doom.rank) : dead.empty();
            // Deaths before the first one is noticed belong to it, because one restart serves them all.
            if (!came || (death && doom.at > later(death->at, policy_->detection))) {
                continue;
            }
            if (!death) {
                death = Death{.at = doom.at, .places = {}, .message = result.fault->message};
            }
            const int place = doom.rank < 0 ? -1 : start_.places[static_cast<std::size_t>(doom.rank)];
            if (place >= 0 && !has(death->places, place)) {
                death->places.push_back(place);
            }
        }
        return death;
    }

    // Applies the policy to a death. False: the run ends.
    bool go_on(Life& life, const Death& death, Result& result) {
        const OnFaultRow& policy = row_of(policy_->on_fault);
        std::vector<int> next = start_.places;
        life.death = death;
        if (policy.shrinks) {
            next = survivors(death);
        }
        if (!policy.goes_on || next.empty()) {
            return false;
        }
        const int broken = std::max(static_cast<int>(death.places.size()), 1);
        const bool replaced = policy.takes_spares && broken <= spares_;
        spares_ -= replaced ? broken : 0;
        life.end = later(death.at, policy_->detection);
        life.lost.detection = policy_->detection;
        life.lost.repair = replaced || policy.shrinks ? Duration{0} : policy_->repair;
        life.lost.restart = policy_->restart;
        const Standing standing = standing_at(result, death.at);
        take_account(life, standing);
        end_spans(life, result);
        wait_for_next_life(result.end);
        // A life that dies before its first checkpoint leaves the start of the former one in place.
        if (standing.checkpoint) {
            start_.from = standing.checkpoint;
            start_.owners = start_.places;
        }
        start_.places = std::move(next);
        ++start_.life;
        return true;
    }

    // The survivors in their new order; empty: nobody can continue.
    std::vector<int> survivors(const Death& death) const {
        std::vector<int> dead;
        std::vector<int> ranks;
        for (std::size_t rank = 0; rank < start_.places.size(); ++rank) {
            (has(death.places, start_.places[rank]) ? dead : ranks).push_back(static_cast<int>(rank));
        }
        if (dead.empty()) {
            return {};  // a network card that belongs to no single rank
        }
        if (policy_->survivors) {
            ranks = policy_->survivors(static_cast<int>(start_.places.size()), dead);
        }
        for (int& rank : ranks) {
            rank = start_.places[static_cast<std::size_t>(rank)];
        }
        return ranks;
    }

    static Standing standing_at(const Result& result, Time at) {
        for (const Standing& standing : result.standings) {
            if (standing.at == at) {
                return standing;
            }
        }
        return {};
    }

    void take_account(Life& life, const Standing& standing) const {
        life.steps = std::max(standing.steps, life.first_step);
        life.lost.checkpoints = standing.stalled;
        if (!life.death) {
            return;
        }
        life.lost_steps = life.steps - (standing.checkpoint ? standing.checkpoint->steps : life.first_step);
        const Time since = standing.checkpoint ? standing.checkpoint->taken : life.begin;
        life.lost.lost_work = std::max(life.death->at - since - standing.stalled_since, Duration{0});
    }

    // Cuts off what the ranks did after the death was detected, and adds the time until the next life.
    void end_spans(const Life& life, Result& result) {
        std::vector<Time> limits(life.places.size(), life.end);
        for (std::size_t rank = 0; rank < limits.size(); ++rank) {
            limits[rank] = has(life.death->places, life.places[rank]) ? life.death->at : life.end;
        }
        timeline_.end_life(limits, result.ranks);
        const Time repaired = later(life.end, life.lost.repair);
        begin_ = later(repaired, life.lost.restart);
        over_ = std::max(begin_, later(life.end, Duration{1}));  // the death that ended this life must not end the next
        for (const int place : life.places) {
            timeline_.add_down_time(place, "detection", std::max(life.death->at, timeline_.last_end(place)), life.end);
            timeline_.add_down_time(place, "repair", life.end, repaired);
            timeline_.add_down_time(place, "restart", repaired, begin_);
        }
    }

    // With a wall clock, the time between lives passes in real time as well.
    void wait_for_next_life(Time reached) const {
        using namespace std::chrono_literals;
        if (options_->clock != Clock::wall || begin_ <= reached) {
            return;
        }
        constexpr double a_year = 3e7;
        const std::chrono::duration<double> wait(std::min(seconds(begin_ - reached) * options_->time_scale, a_year));
        const auto due =
            std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(wait);
        for (auto now = std::chrono::steady_clock::now(); now < due && stop_.received() == 0;
             now = std::chrono::steady_clock::now()) {
            std::this_thread::sleep_until(std::min(due, now + 10ms));
        }
    }

    // Adds the totals of the last life at the places of its ranks.
    void add_up(Result& result) {
        const Life& life = run_.lives.back();
        Result& all = run_.result;
        all.fault = std::move(result.fault);
        all.end = life.end;
        all.wall_seconds += result.wall_seconds;
        all.messages += result.messages;
        all.ops += result.ops;
        all.timeline_sha256 = std::move(result.timeline_sha256);
        all.recording = std::move(result.recording);
        all.reports.clear();
        for (const auto& [name, by_rank] : result.reports) {
            for (const auto& [rank, values] : by_rank) {
                all.reports[name][life.places[static_cast<std::size_t>(rank)]] = values;
            }
        }
        all.used.resize(result.used.empty() ? all.used.size() : all.ranks.size());
        for (std::size_t rank = 0; rank < life.places.size(); ++rank) {
            const auto place = static_cast<std::size_t>(life.places[rank]);
            add(all.ranks[place], result.ranks[rank]);
            if (rank < result.used.size()) {
                ProcessUse& used = all.used[place];
                used.peak_resident_bytes = std::max(used.peak_resident_bytes, result.used[rank].peak_resident_bytes);
                used.cpu_seconds += result.used[rank].cpu_seconds;
            }
        }
    }

    static void add(RankTotals& sum, const RankTotals& totals) {
        sum.compute += totals.compute;
        sum.communication += totals.communication;
        sum.idle_in_collectives += totals.idle_in_collectives;
        sum.end = totals.end;
        sum.bytes_sent += totals.bytes_sent;
        sum.billionths_sent += totals.billionths_sent;
        sum.messages_sent += totals.messages_sent;
        sum.peak_bytes = std::max(sum.peak_bytes, totals.peak_bytes);
        sum.peak_billionths = std::max(sum.peak_billionths, totals.peak_billionths);
        sum.ops += totals.ops;
    }

    void finish() {
        Result& all = run_.result;
        all.pids = pids_;
        if (joins_lives()) {
            all.timeline_sha256 = timeline_.hash();
        }
        for (RankTotals& totals : all.ranks) {
            totals.idle = all.end - options_->begin - totals.compute - totals.communication;
        }
    }

    const LaunchOptions* options_;
    const RecoveryPolicy* policy_;
    const RecoverableProgram* program_;
    FaultsOfLives faults_;
    JoinedTimeline timeline_;
    const StopSignal stop_;
    Recovered run_;
    Start start_;
    int spares_;
    Time begin_;
    Time over_ = begin_;     // deaths before it are over
    std::vector<int> pids_;  // by place, of the last life that had it
};

}  // namespace

Recovered launch_with_recovery(const LaunchOptions& options, const RecoveryPolicy& policy,
                               const RecoverableProgram& program) {
    check_policy(policy);
    check_options(options);
    return Recovery(options, policy, program).run();
}

}  // namespace sim::ranks
