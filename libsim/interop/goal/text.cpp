#include "libsim/interop/goal/text.hpp"

#include "libsim/interop/goal/builder.hpp"
#include "libsim/interop/goal/labels.hpp"
#include "libsim/interop/goal/scanner.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace sim::goal {

namespace {

// A dependency that names a later operation.
struct Pending {
    std::string_view op;
    std::string_view first;
    bool on_start;
};

class Reader {
public:
    // With `wanted`, in ascending order, also records where those operations are.
    Reader(std::string_view text, std::string_view name, const std::vector<OpIndex>& wanted = {})
        : scan_(text, name), wanted_(wanted) {}

    GoalSchedule read();
    std::vector<Place>& places() { return places_; }

private:
    void read_number_of_ranks(const char* at);
    void read_rank(const char* at);
    void read_statement();
    void read_op(GoalOpKind kind, std::string_view label);
    void read_message(GoalOp& op);
    void read_attributes(GoalOp& op);
    std::uint32_t read_peer(GoalOpKind kind);
    std::uint32_t read_tag();
    void read_dependency(std::string_view op, std::string_view how, const char* at);
    void resolve(const Pending& pending);
    OpIndex named(std::string_view label) const;
    void add_op(const GoalOp& op, std::string_view label);

    static std::optional<GoalOpKind> kind_of(std::string_view word) {
        return word == "send"   ? std::optional(GoalOpKind::send)
               : word == "recv" ? std::optional(GoalOpKind::receive)
               : word == "calc" ? std::optional(GoalOpKind::calc)
                                : std::nullopt;
    }
    void expect(std::string_view wanted, std::string_view where);

    Scanner scan_;
    std::optional<ScheduleBuilder> builder_;  // once there are ranks
    std::vector<const char*> begun_;          // where each rank begins; null: not yet
    std::uint32_t rank_ = 0;
    GoalLabels labels_;
    std::vector<Pending> pending_;
    std::vector<OpIndex> wanted_;
    std::vector<Place> places_;
};

GoalSchedule Reader::read() {
    while (scan_.skip_lines()) {
        const char* const at = scan_.at();
        const std::string_view word = scan_.word();
        if (word == "num_ranks") {
            read_number_of_ranks(at);
        } else if (word == "rank") {
            read_rank(at);
        } else {
            scan_.fail_at_word(at, {"rank", "num_ranks"});
        }
    }
    if (!builder_) {
        scan_.fail(scan_.at(), "num_ranks, the number of ranks, is missing");
    }
    return std::move(*builder_).build();
}

void Reader::read_number_of_ranks(const char* at) {
    if (builder_) {
        scan_.fail(at, "num_ranks is given twice");
    }
    scan_.skip_in_line();
    const char* const number_at = scan_.at();
    const std::int64_t ranks = scan_.number("the number of ranks", most_ranks);
    if (ranks == 0) {
        scan_.fail(number_at, "there must be at least one rank");
    }
    builder_.emplace(static_cast<std::uint32_t>(ranks));
    begun_.resize(static_cast<std::size_t>(ranks));
}

void Reader::read_rank(const char* at) {
    if (!builder_) {
        scan_.fail(at, "num_ranks must come before the first rank");
    }
    scan_.skip_in_line();
    rank_ = read_peer(GoalOpKind::send);
    if (begun_[rank_] != nullptr) {
        scan_.fail(at, fmt::format("rank {} is already at line {}", rank_, scan_.line_of(begun_[rank_])));
    }
    begun_[rank_] = at;
    scan_.skip_lines();
    if (!scan_.is_at('{')) {
        expect("{", fmt::format("after rank {}", rank_));
    }
    scan_.advance();
    builder_->begin(rank_);
    while (scan_.skip_lines() && !scan_.is_at('}')) {
        read_statement();
    }
    if (scan_.at_end()) {
        scan_.fail(scan_.at(), fmt::format("the text ends inside rank {}, which begins at line {}: }} is missing",
                                           rank_, scan_.line_of(at)));
    }
    scan_.advance();
    for (const Pending& pending : pending_) {
        resolve(pending);
    }
    pending_.clear();
    labels_.clear();
}

// OP · LABEL: OP · LABEL requires LABEL · LABEL irequires LABEL
void Reader::read_statement() {
    const std::string_view first = scan_.label("a label, send, recv, calc or }");
    const bool more = scan_.skip_in_line();
    const auto kind = kind_of(first);
    if (more && scan_.is_at(':')) {
        if (kind) {
            scan_.fail(first.data(), fmt::format("{} cannot be a label", first));
        }
        scan_.advance();
        scan_.skip_in_line();
        const char* const at = scan_.at();
        const auto labelled = kind_of(scan_.word());
        if (!labelled) {
            scan_.fail_at_word(at, {"send", "recv", "calc"});
        }
        return read_op(*labelled, first);
    }
    if (kind) {
        return read_op(*kind, {});
    }
    const char* const at = scan_.at();
    const std::string_view how = more ? scan_.word() : std::string_view();
    if (how != "requires" && how != "irequires") {
        if (const std::string hint = did_you_mean(first, {"send", "recv", "calc"}); !hint.empty()) {
            scan_.fail(first.data(), fmt::format("\"{}\" is not an operation{}", first, hint));
        }
        scan_.fail_at_word(at, {":", "requires", "irequires"});
    }
    read_dependency(first, how, at);
}

void Reader::expect(std::string_view wanted, std::string_view where) {
    const char* const at = scan_.at();
    if (scan_.word() != wanted) {
        scan_.fail(at, fmt::format("expected \"{}\" {}, not {}", wanted, where, scan_.found(at)));
    }
    scan_.skip_in_line();
}

void Reader::read_op(GoalOpKind kind, std::string_view label) {
    GoalOp op{.kind = kind};
    scan_.skip_in_line();
    if (kind == GoalOpKind::calc) {
        op.size = scan_.number("a time", INT64_MAX);
    } else {
        read_message(op);
    }
    read_attributes(op);
    add_op(op, label);
}

void Reader::read_message(GoalOp& op) {
    op.size = scan_.number("a size in bytes", INT64_MAX);
    scan_.skip_in_line();
    expect("b", "after the size");
    if (op.kind == GoalOpKind::send) {
        expect("to", "before the receiving rank");
    } else {
        expect("from", "before the sending rank");
    }
    op.peer = read_peer(op.kind);
}

std::uint32_t Reader::read_peer(GoalOpKind kind) {
    const char* const at = scan_.at();
    if (scan_.is_at('-') && kind == GoalOpKind::receive) {
        scan_.advance();
        if (scan_.word() != "1") {
            scan_.fail(at, "expected a rank, or -1 for any rank");
        }
        return any;
    }
    const std::int64_t rank = scan_.number("a rank", INT64_MAX);
    if (rank >= static_cast<std::int64_t>(begun_.size())) {
        scan_.fail(at,
                   fmt::format("rank {} is not one of the {} ranks, 0 to {}", rank, begun_.size(), begun_.size() - 1));
    }
    return static_cast<std::uint32_t>(rank);
}

std::uint32_t Reader::read_tag() {
    const char* const at = scan_.at();
    if (scan_.is_at('-')) {
        scan_.advance();
        if (scan_.word() != "1") {
            scan_.fail(at, "expected a tag, or -1 for any tag");
        }
        return any;
    }
    return static_cast<std::uint32_t>(scan_.number("a tag", any - 1));
}

void Reader::read_attributes(GoalOp& op) {
    while (scan_.skip_in_line() && !scan_.is_at('}')) {
        const char* const at = scan_.at();
        const std::string_view word = scan_.word();
        scan_.skip_in_line();
        if (word == "tag" && op.kind != GoalOpKind::calc) {
            op.tag = read_tag();
        } else if (word == "cpu") {
            op.cpu = static_cast<std::uint8_t>(scan_.number("a CPU", UINT8_MAX));
        } else if (word == "nic") {
            op.nic = static_cast<std::uint8_t>(scan_.number("a NIC", UINT8_MAX));
        } else if (op.kind == GoalOpKind::calc) {
            scan_.fail_at_word(at, {"cpu", "the end of the line"});
        } else {
            scan_.fail_at_word(at, {"tag", "cpu", "nic", "the end of the line"});
        }
    }
}

void Reader::add_op(const GoalOp& op, std::string_view label) {
    const OpIndex index = builder_->add(op);
    if (!label.empty()) {
        if (const auto [entry, is_new] = labels_.add(label, index); !is_new) {
            scan_.fail(label.data(), fmt::format("label {} is already at line {}", label, scan_.line_of(entry.at)));
        }
    }
    if (places_.size() < wanted_.size() && wanted_[places_.size()] == index) {
        places_.push_back({scan_.line_of(scan_.at()), std::string(label)});
    }
}

void Reader::read_dependency(std::string_view op, std::string_view how, const char* at) {
    scan_.skip_in_line();
    const std::string_view first = scan_.label("a label");
    if (scan_.skip_in_line() && !scan_.is_at('}')) {
        scan_.fail_at_word(scan_.at(), {"the end of the line"});
    }
    if (op == first) {
        scan_.fail(at, fmt::format("{} cannot wait for itself", op));
    }
    const Pending dependency{op, first, how.front() == 'i'};
    if (labels_.at(op) && labels_.at(first)) {
        resolve(dependency);
    } else {
        pending_.push_back(dependency);
    }
}

OpIndex Reader::named(std::string_view label) const {
    const auto op = labels_.at(label);
    if (!op) {
        scan_.fail(label.data(), fmt::format("there is no label {} in rank {}{}", label, rank_,
                                             did_you_mean(label, labels_.names())));
    }
    return *op;
}

void Reader::resolve(const Pending& pending) {
    const OpIndex op = named(pending.op);
    const OpIndex first = named(pending.first);
    if (pending.on_start) {
        builder_->require_start(op, first);
    } else {
        builder_->require(op, first);
    }
}

}  // namespace

GoalSchedule parse(std::string_view text, std::string_view name) {
    return Reader(text, name).read();
}

std::vector<Place> places_of(std::string_view text, const std::vector<OpIndex>& ops) {
    Reader reader(text, "", ops);
    reader.read();
    return std::move(reader.places());
}

}  // namespace sim::goal
