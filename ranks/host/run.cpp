#include "ranks/host/run.hpp"

#include "libsim/kernel/parts/describe.hpp"
#include "libsim/kernel/run_totals.hpp"
#include "libsim/replay/recording.hpp"
#include "ranks/host/machine_limits.hpp"
#include "ranks/hosts.hpp"

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
      standings(run_options.ranks, run_options.standings),
      kernel(run_options.ranks, run_options.cluster, names, groups,
             {.order = links_are_shared(run_options.cluster) ? kernel::Order::time : order,
              .on_span = span_sink(),
              .on_log = log_sink(),
              .on_ops = op_sink(),
              .faults = run_options.faults,
              .on_steps = steps_sink(),
              .begin = run_options.begin}),
      shares_done(static_cast<std::size_t>(run_options.ranks)),
      half_of_memory_(static_cast<std::size_t>(available_memory()) / 2) {
    for (int rank = 0; rank < run_options.ranks; ++rank) {
        shares_done[static_cast<std::size_t>(rank)] = run_options.runs(rank) ? 0 : 1;
    }
}

SpanSink Run::span_sink() {
    return hash ? hashing(*hash, options->on_span) : options->on_span;
}

std::size_t Run::most_unreceived() const {
    return options->most_unreceived_bytes > 0 ? options->most_unreceived_bytes : half_of_memory_;
}

void Run::limit_unreceived(int source, std::size_t on_its_way) {
    const auto of = [&](int rank) { return payloads.held(rank) + (rank == source ? on_its_way : 0); };
    const bool is_one = of(source) > most_unreceived();
    if (!is_one && payloads.held() + on_its_way <= std::max(most_unreceived(), half_of_memory_)) {
        return;
    }
    int most = source;
    for (int rank = 0; rank < options->ranks && !is_one; ++rank) {
        most = of(rank) > of(most) ? rank : most;
    }
    fail({.failure = Failure::machine_limit,
          .rank = most,
          .message =
              fmt::format("rank {} has sent {:.0f} MB of data that nobody has received, {}{}: the limit is {:.0f} MB",
                          most, static_cast<double>(of(most)) / 1e6, where_rank_is(kernel, most),
                          is_one ? "" : ", the most of all ranks", static_cast<double>(most_unreceived()) / 1e6)});
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

// The state of a checkpoint leaves the payloads, wanted or not.
kernel::StepsSink Run::steps_sink() {
    return [this](const kernel::StepsDone& reported) {
        if (options->on_step_done && !reported.with_state && reported.begin == reported.end) {
            options->on_step_done(reported.rank, reported.steps, reported.end);
        }
        std::vector<std::byte> state;
        if (reported.bytes > 0) {
            state = payloads.take(reported.rank, reported.payload).bytes;
        }
        standings.add(reported, standings.wants(reported) ? std::move(state) : std::vector<std::byte>{});
    };
}

void Run::forward_log() {
    if (options->clock == Clock::wall || !log.may_tell()) {
        return;
    }
    Time reached = kernel.end();
    for (int rank = 0; rank < kernel.ranks(); ++rank) {
        const kernel::RankStatus status = kernel.status(rank);
        if (status != kernel::RankStatus::finished && status != kernel::RankStatus::lost &&
            status != kernel::RankStatus::halted) {
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

void Run::fail_by_leftovers() {
    try {
        kernel.require_complete_collectives();
        if (!options->allow_unreceived) {
            kernel.require_received_messages();
        }
    } catch (const ProgramError& error) {
        fail(fault_of(error, -1));
    }
}

bool Run::fail_by_mistake() {
    const std::optional<kernel::FoundMistake> mistake = kernel.first_mistake();
    if (!mistake) {
        return false;
    }
    try {
        std::rethrow_exception(mistake->error);
    } catch (const ProgramError& error) {
        fail(fault_of(error, mistake->place.rank));
    }
    return true;
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
    if (is_test(question, TestOf::end_of_one)) {
        const Time end = kernel.known_end(rank, question);
        const auto bytes = std::as_bytes(std::span(&end, 1));
        return {.bytes = {bytes.begin(), bytes.end()}};
    }
    if (question.kind == OpKind::look || question.kind == OpKind::test) {
        const auto found = std::as_bytes(std::span(&kernel.found(rank), 1));
        return {.bytes = {found.begin(), found.end()}};
    }
    const bool wants_data = (question.kind == OpKind::receive || question.kind == OpKind::wait) && question.bytes > 0;
    return wants_data ? payloads.take(delivery.source, delivery.number) : Payload{};
}

void Run::end_by_standstill() {
    if (fail_by_mistake()) {
        return;
    }
    if (kernel.all_finished()) {
        return fail_by_leftovers();
    }
    if (kernel.lost() > 0 || kernel.lost_messages().count() > 0) {
        return fail_by_loss();
    }
    fail(fault_of(kernel::explain_deadlock(kernel), -1));
}

void Run::fail_by_loss() {
    std::vector<kernel::WrongOp> waiting = kernel::waiting_ranks(kernel);
    const int others = kernel.ranks() - kernel.lost();
    std::string message =
        fmt::format("{}, as was asked; {}", what_was_lost(),
                    waiting.empty() ? "nobody waits for it"
                                    : fmt::format("{} of {} ranks can never go on", waiting.size(), others));
    message += kernel::lines_of(waiting);
    const std::vector<int> dead = kernel.dead_ranks();
    fail({.failure = dead.empty() ? Failure::rank_hung : Failure::rank_died,
          .rank = dead.empty() ? -1 : dead.front(),
          .signal = dead.empty() ? 0 : SIGKILL,
          .message = std::move(message),
          .as_asked = true,
          .dead = dead,
          .ops = std::move(waiting)});
}

void Run::fail_by_overflow(int rank, const std::overflow_error& error) {
    const std::string where = rank < 0 ? fmt::format("after {}", kernel::describe_time(kernel.end()))
                                       : fmt::format("rank {} {}", rank, where_rank_is(kernel, rank));
    fail({.failure = Failure::out_of_range, .rank = rank, .message = fmt::format("{}: {}", where, error.what())});
}

// "rank 3 (pid 4711) was killed by signal 9 after op 5, at 2 s", for the first and the number of others; or the lost
// messages.
std::string Run::what_was_lost() const {
    const std::vector<int> dead = kernel.dead_ranks();
    if (dead.empty()) {
        const std::int64_t messages = kernel.lost_messages().count();
        return fmt::format("{} {} not get through", messages, messages == 1 ? "message did" : "messages did");
    }
    const int rank = dead.front();
    const bool is_process = options->host == Host::process;
    std::string text =
        fmt::format("rank {}{} was killed{} {}", rank,
                    is_process ? fmt::format(" (pid {})", pids[static_cast<std::size_t>(rank)]) : "",
                    is_process ? fmt::format(" by signal {}", SIGKILL) : "", where_rank_is(kernel, rank));
    if (dead.size() > 1) {
        text += fmt::format(", and {} more were killed", dead.size() - 1);
    }
    return text;
}

void Run::fail_by_silence(int rank, const std::string& who, const Op* last) {
    fail({.failure = Failure::rank_hung,
          .rank = rank,
          .message = fmt::format("{} hangs: no op for {} s, {}{}", who,
                                 std::chrono::duration<double>(options->watchdog).count(), where_rank_is(kernel, rank),
                                 last == nullptr ? "" : "\n  its last op: " + kernel::describe(*last))});
}

double Run::wall_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double Run::share_done() const {
    return *std::min_element(shares_done.begin(), shares_done.end());
}

bool Run::progress_is_due() {
    const auto now = std::chrono::steady_clock::now();
    const bool is_due = options->clock == Clock::virtual_time && options->on_notice && options->progress.count() > 0 &&
                        now >= last_progress_ + options->progress;
    last_progress_ = is_due ? now : last_progress_;
    return is_due;
}

void Run::report_progress(const std::string& advice) {
    const HostRow& host = row_of(options->host);
    const int count = options->count_of_running();
    std::string text = fmt::format("after {:.0f} s, {} {} come to {} of simulated time", wall_seconds(), count,
                                   count == 1 ? fmt::format("{} has", host.name) : fmt::format("{} have", host.plural),
                                   kernel::describe_time(kernel.end()));
    if (const std::int64_t messages = kernel.messages_sent(); messages > 0) {
        text += fmt::format(", with {} messages", messages);
    }
    if (const std::string progress = progress_text(share_done(), wall_seconds()); !progress.empty()) {
        text += "; " + progress;
    }
    options->on_notice(text + advice);
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
    constexpr double thirty_years = 1e9;  // longer than any wall-clock time that matters
    const std::chrono::duration<double> after(
        std::min(seconds(time - options->begin) * options->time_scale, thirty_years));
    return begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(after);
}

Result Run::result() {
    if (options->clock == Clock::virtual_time || !fault) {
        log.tell_all();  // a run that the wall clock ended still holds lines
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
    result.standings = standings.take();
    return result;
}

Fault fault_of(const ProgramError& error, int rank) {
    const Mistake mistake = dynamic_cast<const DeadlockError*>(&error) != nullptr   ? Mistake::deadlock
                            : dynamic_cast<const MismatchError*>(&error) != nullptr ? Mistake::mismatch
                                                                                    : Mistake::other;
    return {.failure = Failure::mismatch_or_deadlock,
            .mistake = mistake,
            .rank = rank,
            .message = error.what(),
            .ops = kernel::ops_of(error)};
}

void run_as_rank(const LaunchOptions& options, Port& port, const Program& program) {
    const std::unique_ptr<Port> between = options.port_between ? options.port_between(port) : nullptr;
    GPU gpu(between ? *between : port);
    if (options.runs(gpu.rank())) {
        program(gpu);
    }
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
