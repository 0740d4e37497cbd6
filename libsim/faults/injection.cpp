#include "libsim/faults/injection.hpp"

#include <fmt/format.h>

namespace sim::faults {

namespace {

// In the largest unit that makes the number at least 1, with at most three decimals.
std::string text_of(Duration span) {
    struct Unit {
        const char* name;
        std::int64_t picoseconds;
    };
    constexpr Unit units[] = {{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}};
    for (const Unit& unit : units) {
        const std::int64_t thousandth = unit.picoseconds / 1000;
        if (span.count() % thousandth == 0 && (span >= Duration{unit.picoseconds} || span.count() == 0)) {
            const std::int64_t thousandths = span.count() / thousandth;
            std::string text = fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
            text.erase(text.find_last_not_of('0') + 1);
            text.erase(text.find_last_not_of('.') + 1);
            return text + unit.name;
        }
    }
    return fmt::format("{}ps", span.count());
}

std::string text_of(Time at) {
    return text_of(at.time_since_epoch());
}

std::string text_of(const Window& window) {
    std::string text = window.from == Time{} ? "" : " from " + text_of(window.from);
    text += window.until == Time::max() ? "" : " to " + text_of(window.until);
    return text + (window.every.count() == 0 ? "" : " every " + text_of(window.every));
}

std::string text_of(const LinkEnd& end) {
    const auto* const rank = std::get_if<int>(&end);
    return rank != nullptr ? std::to_string(*rank) : "'" + std::get<std::string>(end) + "'";
}

std::string as_typed(const KillRank& kill) {
    return fmt::format("kill rank {} at {}", kill.rank, text_of(kill.at));
}
std::string as_typed(const KillNode& kill) {
    return fmt::format("kill node {} at {}", kill.node, text_of(kill.at));
}
std::string as_typed(const StopRank& stop) {
    return fmt::format("stop rank {} at {} for {}", stop.rank, text_of(stop.at), text_of(stop.span));
}
std::string as_typed(const SlowRank& slow) {
    return fmt::format("slow rank {} x{}{}", slow.rank, slow.factor, text_of(slow.window));
}
std::string as_typed(const Noise& noise) {
    return fmt::format("noise {}%{}{}", noise.mean * 100, noise.rank < 0 ? "" : fmt::format(" on rank {}", noise.rank),
                       noise.seed == 1 ? "" : fmt::format(" seed {}", noise.seed));
}
std::string as_typed(const SlowLink& slow) {
    return fmt::format("slow link {}-{} x{}{}", text_of(slow.a), text_of(slow.b), slow.factor, text_of(slow.window));
}
std::string as_typed(const RandomFailures& fail) {
    return fmt::format("fail {} mtbf {}{}{}", typed_name_of(fail.part), text_of(fail.mean),
                       fail.shape == 1 ? "" : fmt::format(" shape {}", fail.shape),
                       fail.seed == 1 ? "" : fmt::format(" seed {}", fail.seed));
}
std::string as_typed(const DropNic& drop) {
    return fmt::format("drop nic {} at {}", drop.nic, text_of(drop.at));
}

}  // namespace

bool breaks(const Injection& injection) {
    return std::holds_alternative<KillRank>(injection) || std::holds_alternative<KillNode>(injection) ||
           std::holds_alternative<DropNic>(injection) || std::holds_alternative<RandomFailures>(injection);
}

std::vector<double> lasting_slowdowns(std::span<const Injection> injections, int ranks) {
    std::vector<double> slowdowns;
    for (const Injection& injection : injections) {
        const auto* const slow = std::get_if<SlowRank>(&injection);
        if (slow != nullptr && slow->rank < ranks && slow->window.from == Time{} && slow->window.until == Time::max()) {
            slowdowns.resize(static_cast<std::size_t>(ranks), 1.0);
            slowdowns[static_cast<std::size_t>(slow->rank)] *= slow->factor;
        }
    }
    return slowdowns;
}

std::string to_text(const Injection& injection) {
    return std::visit([](const auto& one) { return as_typed(one); }, injection);
}

std::string to_text(std::span<const Injection> injections) {
    std::string all;
    for (const Injection& one : injections) {
        all += (all.empty() ? "" : "; ") + to_text(one);
    }
    return all;
}

}  // namespace sim::faults
