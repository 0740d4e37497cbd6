#include "libsim/kernel/parts/describe.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/time_units.hpp"

#include <fmt/format.h>

namespace sim::kernel {

namespace {

// n / scale as a decimal number without trailing zeros.
std::string decimal(std::int64_t n, std::int64_t scale) {
    std::string text = fmt::format("{}", n / scale);
    std::int64_t rest = n % scale;
    if (rest == 0) {
        return text;
    }
    text += '.';
    for (std::int64_t place = scale / 10; rest > 0; place /= 10) {
        text += static_cast<char>('0' + rest / place);
        rest %= place;
    }
    return text;
}

std::string tag_text(int tag) {
    return tag < 0 ? std::string(" (in a collective)") : tag > 0 ? fmt::format(", tag {}", tag) : std::string();
}

// Verb of a look: how long it waits for its message.
std::string describe_patience(std::int64_t amount) {
    return amount == 0             ? std::string("ask for")
           : amount == until_there ? std::string("wait for")
                                   : fmt::format("wait at most {} for", describe_time(Time{Duration{amount}}));
}

std::string describe_collective(const Op& op) {
    const CollectiveWord word = collective_word(op);
    std::string text = name_of(word.kind);
    if (word.kind != CollectiveKind::barrier) {
        text += " of " + describe_amount(op.amount, op.measure);
    }
    if (word.reduction != Reduction::sum) {
        text += fmt::format(", {}", name_of(word.reduction));
    }
    if (const AlgorithmConfig config = algorithm_of(op); config != AlgorithmConfig(default_algorithm(word.kind))) {
        text += fmt::format(", {}", text_of(config));
    }
    if (word.element_size > 0) {
        text += fmt::format(", elements of {} B", word.element_size);
    }
    return op.peer < 0 ? text : fmt::format("{}, root {}", text, op.peer);
}

}  // namespace

std::string describe_amount(std::int64_t amount, Measure measure) {
    switch (measure) {
        case Measure::bytes: return fmt::format("{} B", amount);
        case Measure::flops: return fmt::format("{} FLOPs", amount);
        case Measure::picoseconds: return describe_time(Time{Duration{amount}});
        case Measure::units: return decimal(amount, Units::per_unit) + (amount == Units::per_unit ? " unit" : " units");
    }
    return {};
}

std::string describe_time(Time time) {
    const std::int64_t picoseconds = time.time_since_epoch().count();
    if (picoseconds > 0) {
        const TimeUnit& unit = time_unit_of(picoseconds);
        return fmt::format("{} {}", decimal(picoseconds, unit.picoseconds), unit.name);
    }
    return "0 s";
}

std::string describe(const Op& op) {
    switch (op.kind) {
        case OpKind::compute: return "compute " + describe_amount(op.amount, op.measure);
        case OpKind::send:
            return fmt::format("send {} to {}{}", describe_amount(op.amount, op.measure), op.peer, tag_text(op.tag));
        case OpKind::receive: return fmt::format("receive from {}{}", op.peer, tag_text(op.tag));
        case OpKind::wait: return fmt::format("wait for asynchronous op {}", op.amount);
        case OpKind::look:
            return fmt::format("{} a message from {}{}", describe_patience(op.amount),
                               op.peer < 0 ? std::string("any rank") : fmt::format("{}", op.peer), tag_text(op.tag));
        case OpKind::test:
            return waits_for_first(op) ? std::string("wait for the first of several asynchronous ops")
                   : is_test(op, TestOf::one_by)
                       ? fmt::format("ask again and again whether asynchronous op {} has ended by {}", op.amount,
                                     describe_time(Time{Duration{static_cast<std::int64_t>(op.bytes)}}))
                       : fmt::format("ask for the end of asynchronous op {}", op.amount);
        case OpKind::collective:
        case OpKind::enter: return describe_collective(op);
        case OpKind::take: return "take what all members brought";
        case OpKind::bring:
        case OpKind::idle:
        case OpKind::issue:
        case OpKind::record:
        case OpKind::allocate:
        case OpKind::log:
        case OpKind::checkpoint:
        case OpKind::forget:
        case OpKind::now:
        case OpKind::finish: break;
    }
    return name_of(op.kind);
}

}  // namespace sim::kernel
