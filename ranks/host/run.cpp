#include "ranks/host/run.hpp"

#include "libsim/kernel/describe.hpp"
#include "libsim/kernel/run_totals.hpp"
#include "libsim/replay/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace sim::ranks {

Run::Run(const LaunchOptions& run_options, kernel::Order order)
    : options(&run_options),
      groups(run_options.ranks),
      hash(run_options.hash_timeline ? std::optional<TimelineHash>(run_options.ranks) : std::nullopt),
      tape(run_options.record ? std::optional<replay::OpTape>(run_options.ranks) : std::nullopt),
      payloads(run_options.ranks),
      log(run_options.on_log),
      kernel(run_options.ranks, run_options.cluster, names, groups,
             {.order = links_are_shared(run_options.cluster) ? kernel::Order::time : order,
              .on_span = span_sink(),
              .on_log = log_sink(),
              .on_ops = op_sink()}),
      shares_done(static_cast<std::size_t>(run_options.ranks)) {}

SpanSink Run::span_sink() {
    return hash ? hashing(*hash, options->on_span) : options->on_span;
}

// A line has the rank's time when its turn comes.
kernel::LogOpSink Run::log_sink() {
    if (!log.wanted()) {
        return nullptr;
    }
    return [this](int rank, Time at, Label text) {
        log.add({.at = at, .pid = pids[static_cast<std::size_t>(rank)], .rank = rank, .text = names.text(text)});
    };
}

kernel::OpSink Run::op_sink() {
    return tape ? [this](int rank, std::span<const Op> ops) { tape->add(rank, ops); } : kernel::OpSink();
}

void Run::tell_log_so_far() {
    if (options->clock == Clock::wall || !log.may_tell()) {
        return;
    }
    Time reached = kernel.end();
    for (int rank = 0; rank < kernel.ranks(); ++rank) {
        const kernel::RankStatus status = kernel.status(rank);
        if (status != kernel::RankStatus::finished && status != kernel::RankStatus::lost) {
            reached = std::min(reached, kernel.time(rank));
        }
    }
    log.tell_before(reached);
}

void Run::begin_with(std::vector<int> rank_pids) {
    pids = std::move(rank_pids);
    if (options->on_start) {
        options->on_start(pids);
    }
    look_at_the_clock();
}

void Run::fail(Fault first) {
    if (!fault) {
        fault = std::move(first);
    }
}

void Run::has_come_to(Time time) {
    furthest_ = std::max(furthest_, time);
    log.tell_until(furthest_);
    if (options->on_time) {
        options->on_time(furthest_);
    }
}

Payload Run::payload_of_answer(int rank, const Op& question) {
    const kernel::Kernel::Delivery& delivery = kernel.delivered(rank);
    if (delivery.bytes == 0) {
        return {};
    }
    if (question.kind == OpKind::look || question.kind == OpKind::test) {
        const auto found = std::as_bytes(std::span(&kernel.found(rank), 1));
        return {.bytes = {found.begin(), found.end()}};
    }
    const bool wants_data = (question.kind == OpKind::receive || question.kind == OpKind::wait) && question.bytes > 0;
    return wants_data ? payloads.take(delivery.source, delivery.number) : Payload{};
}

void Run::fail_by_standstill() {
    if (kernel.lost() == 0) {
        return fail({.failure = Failure::mismatch_or_deadlock,
                     .mistake = Mistake::deadlock,
                     .message = kernel::explain_deadlock(kernel)});
    }
    const int rank = options->kill->rank;
    std::vector<kernel::Waiting> waiting = kernel::waiting_ranks(kernel);
    const bool is_process = options->host == Host::process;
    std::string message = fmt::format(
        "rank {}{} was killed{} {}, as was asked; {}", rank,
        is_process ? fmt::format(" (pid {})", pids[static_cast<std::size_t>(rank)]) : "",
        is_process ? fmt::format(" by signal {}", SIGKILL) : "", where_rank_is(kernel, rank),
        waiting.empty() ? "nobody waits for it"
                        : fmt::format("{} of {} ranks can never go on", waiting.size(), kernel.ranks() - 1));
    message += kernel::lines_of(waiting);
    fail({.failure = Failure::rank_died,
          .rank = rank,
          .signal = SIGKILL,
          .message = std::move(message),
          .as_asked = true,
          .waiting = std::move(waiting)});
}

double Run::wall_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double Run::share_done() const {
    return *std::min_element(shares_done.begin(), shares_done.end());
}

void Run::look_at_the_clock() {
    if (!options->on_pulse) {
        return;
    }
    if (const auto now = std::chrono::steady_clock::now(); now >= next_pulse_) {
        next_pulse_ = now + options->pulse;
        options->on_pulse({.ranks_finished = kernel.finished(),
                           .reached = options->clock == Clock::wall ? furthest_ : kernel.end(),
                           .messages = kernel.messages_sent(),
                           .share_done = share_done(),
                           .wall_seconds = wall_seconds()});
    }
}

std::chrono::steady_clock::time_point Run::due(Time time) const {
    constexpr double thirty_years = 1e9;  // longer than the wall's clock need count
    const std::chrono::duration<double> after(std::min(seconds(time) * options->time_scale, thirty_years));
    return begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(after);
}

Result Run::result() {
    if (options->clock == Clock::virtual_time || !fault) {
        log.tell_all();  // a run that broke off by the wall's clock never came to what it had not told yet
    }
    Result result;
    result.fault = fault;
    kernel::RunTotals totals = kernel::run_totals(kernel);
    result.end = totals.end;
    result.ranks = std::move(totals.ranks);
    result.messages = totals.messages;
    result.ops = totals.ops;
    result.wall_seconds = wall_seconds();
    result.pids = pids;
    if (hash) {
        result.timeline_sha256 = hash->hex();
    }
    if (tape && !fault) {
        result.recording = std::make_shared<const replay::Recording>(std::move(*tape).take(), names, groups);
    }
    result.reports = std::move(reports);
    return result;
}

Mistake mistake_of(const ProgramError& error) {
    return dynamic_cast<const MismatchError*>(&error) != nullptr ? Mistake::mismatch : Mistake::other;
}

std::string signal_name(int signal) {
    const char* name = strsignal(signal);
    return fmt::format("signal {} ({}{})", signal, name == nullptr ? "unknown" : name,
                       signal == SIGKILL ? "; possibly out of memory" : "");
}

std::string stopped_by(int signal, Time at) {
    return fmt::format("stopped by {} at {}", signal_name(signal), kernel::describe_time(at));
}

std::string where_rank_is(const kernel::Kernel& kernel, int rank) {
    const std::string at = kernel::describe_time(kernel.time(rank));
    if (kernel.status(rank) == kernel::Kernel::Status::blocked) {
        return fmt::format("in op {}, {}, at {}", kernel.blocked_op_number(rank),
                           kernel::describe(kernel.blocked_in(rank)), at);
    }
    return kernel.ops(rank) == 0 ? fmt::format("before its first op, at {}", at)
                                 : fmt::format("after op {}, at {}", kernel.ops(rank) - 1, at);
}

}  // namespace sim::ranks
