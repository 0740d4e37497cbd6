#include "libsim/interop/goal/write.hpp"

#include "libsim/split.hpp"

#include <fmt/format.h>

#include <iterator>
#include <vector>

namespace sim::goal {

namespace {

using Text = fmt::memory_buffer;

void add_number(Text& text, std::uint32_t number) {
    if (number == any) {
        fmt::format_to(std::back_inserter(text), "-1");
    } else {
        fmt::format_to(std::back_inserter(text), "{}", number);
    }
}

void add_statement(Text& text, const GoalOp& op) {
    const auto out = std::back_inserter(text);
    if (op.kind == GoalOpKind::calc) {
        fmt::format_to(out, "calc {}", op.size);
    } else {
        const bool sends = op.kind == GoalOpKind::send;
        fmt::format_to(out, "{} {}b {} ", sends ? "send" : "recv", op.size, sends ? "to" : "from");
        add_number(text, op.peer);
        if (op.tag != 0) {
            fmt::format_to(out, " tag ");
            add_number(text, op.tag);
        }
    }
    if (op.cpu != 0) {
        fmt::format_to(out, " cpu {}", op.cpu);
    }
    if (op.nic != 0) {
        fmt::format_to(out, " nic {}", op.nic);
    }
    text.push_back('\n');
}

// The waits to write after each operation of a rank, once both operations have a label.
class Waits {
public:
    Waits(const GoalSchedule& schedule, OpRange range) : range_(range), behind_(range.end - range.begin) {
        for (OpIndex op = range.begin; op < range.end; ++op) {
            for (const Dependent dependent : schedule.dependents_of(op)) {
                const OpIndex later = std::max(op, dependent.op());
                behind_[later - range.begin].push_back({op, dependent});
            }
        }
    }

    struct Wait {
        OpIndex first;
        Dependent then;
    };
    const std::vector<Wait>& behind(OpIndex op) const { return behind_[op - range_.begin]; }

private:
    OpRange range_;
    std::vector<std::vector<Wait>> behind_;
};

void write_rank(std::ostream& out, const GoalSchedule& schedule, std::size_t rank) {
    const OpRange range = schedule.ranks[rank];
    const Waits waits(schedule, range);
    const auto label = [&](OpIndex op) { return op - range.begin + 1; };
    Text text;
    fmt::format_to(std::back_inserter(text), "\nrank {} {{\n", rank);
    for (OpIndex op = range.begin; op < range.end; ++op) {
        fmt::format_to(std::back_inserter(text), "l{}: ", label(op));
        add_statement(text, schedule.ops[op]);
        for (const Waits::Wait& wait : waits.behind(op)) {
            fmt::format_to(std::back_inserter(text), "l{} {} l{}\n", label(wait.then.op()),
                           wait.then.on_start() ? "irequires" : "requires", label(wait.first));
        }
    }
    fmt::format_to(std::back_inserter(text), "}}\n");
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace

void write_text(std::ostream& out, const GoalSchedule& schedule, const std::string& comment) {
    for (const std::string& line : comment.empty() ? std::vector<std::string>() : split(comment, '\n')) {
        out << "// " << line << '\n';
    }
    out << "num_ranks " << schedule.ranks.size() << '\n';
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
        write_rank(out, schedule, rank);
    }
}

}  // namespace sim::goal
