#include "libsim/kernel/parts/mistakes.hpp"

#include "libsim/kernel/parts/describe.hpp"
#include "libsim/kernel/parts/wrong_ops.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::kernel {

bool Mistakes::fits_or_is_noted(int target, NumberedOp at, Time posted, const Message& message) {
    const Op& receive = at.op;
    const bool sizes_fit = receive.amount < 0 || (receive.amount == message.amount &&
                                                  (receive.measure == message.measure || receive.amount == 0));
    const bool data_fits = receive.bytes == any_bytes || receive.bytes == message.bytes;
    if (sizes_fit && data_fits) {
        return true;
    }
    const auto bytes = [](std::uint64_t n) { return n == 0 ? std::string("no data") : fmt::format("{} B of data", n); };
    const std::string wanted = sizes_fit ? bytes(receive.bytes) : describe_amount(receive.amount, receive.measure);
    const std::string sent = sizes_fit ? bytes(message.bytes) : describe_amount(message.amount, message.measure);
    const Time when = std::max(posted, message.end);
    const std::string text = fmt::format(
        "sizes do not match at {}\n  rank {}, op {}: {} expects {}\n  rank {} sent {} at {}", describe_time(when),
        target, at.number, describe(receive), wanted, receive.peer, sent, describe_time(message.begin));
    std::vector<WrongOp> ops{
        {.rank = target, .op_number = at.number, .what = describe(receive), .waits_for = receive.peer}};
    note({when, target, at.number}, std::make_exception_ptr(Mismatch(text, std::move(ops))));
    return false;
}

}  // namespace sim::kernel
