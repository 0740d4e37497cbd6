#include "libsim/report/page/detail.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace sim::report {

namespace {

using trace::Span;

constexpr std::size_t kinds_of_ops = static_cast<std::size_t>(OpKind::finish) + 1;

std::vector<const Span*> sorted(std::span<const Span> spans) {
    std::vector<const Span*> order;
    order.reserve(spans.size());
    for (const Span& span : spans) {
        order.push_back(&span);
    }
    // Stable: spans with the same place in a rank's program keep their order.
    std::stable_sort(order.begin(), order.end(), [](const Span* a, const Span* b) {
        return std::tie(a->rank, a->stream, a->begin, a->end, a->op_number) <
               std::tie(b->rank, b->stream, b->begin, b->end, b->op_number);
    });
    return order;
}

// Assigns sorted spans to bars: each span begins a bar or joins an open one.
class Stretches {
public:
    explicit Stretches(std::int64_t length) : length_(length) {}

    // The index of the bar that the span joins; `next` if it begins a bar.
    std::size_t place_of(const Span& span, std::size_t next) {
        if (span.rank != rank_ || span.stream != stream_) {
            rank_ = span.rank;
            stream_ = span.stream;
            open_.fill({-1, 0});
        }
        if ((span.end - span.begin).count() >= length_) {
            return next;
        }
        const std::int64_t stretch = span.begin.time_since_epoch().count() / length_;
        Open& open = open_[static_cast<std::size_t>(span.kind)];
        if (open.stretch != stretch) {
            open = {stretch, next};
        }
        return open.bar;
    }

private:
    struct Open {
        std::int64_t stretch;
        std::size_t bar;
    };

    std::int64_t length_;
    int rank_ = -1;
    Stream stream_ = Stream::main;
    std::array<Open, kinds_of_ops> open_{};
};

std::size_t bars_with(const std::vector<const Span*>& spans, std::int64_t length) {
    Stretches stretches(length);
    std::size_t bars = 0;
    for (const Span* span : spans) {
        bars += stretches.place_of(*span, bars) == bars ? std::size_t{1} : std::size_t{0};
    }
    return bars;
}

void join(Span& bar, const Span& span) {
    bar.end = std::max(bar.end, span.end);
    bar.idle += span.idle;
    bar.peer = -1;
    bar.message = 0;
    if (span.kind == OpKind::allocate) {
        bar.amount = std::max(bar.amount, span.amount);
    } else if (span.measure == bar.measure) {
        bar.amount += span.amount;
    }
}

}  // namespace

DrawnSpans drawn_spans(std::span<const Span> spans, std::size_t most) {
    DrawnSpans drawn{.spans = sorted(spans)};
    if (spans.size() <= most) {
        return drawn;
    }
    std::int64_t length = 1;
    while (bars_with(drawn.spans, length) > most && length < std::int64_t{1} << 61) {
        length *= 2;
    }
    Stretches stretches(length);
    std::vector<const Span*> kept;
    std::vector<Span*> bars;  // null: a single span
    for (const Span* span : drawn.spans) {
        const std::size_t place = stretches.place_of(*span, kept.size());
        if (place == kept.size()) {
            kept.push_back(span);
            drawn.counts.push_back(1);
            bars.push_back(nullptr);
            continue;
        }
        if (bars[place] == nullptr) {
            bars[place] = &drawn.bars.emplace_back(*kept[place]);
            kept[place] = bars[place];
            ++drawn.merged;
        }
        join(*bars[place], *span);
        ++drawn.counts[place];
        ++drawn.merged;
    }
    drawn.spans = std::move(kept);
    drawn.shorter_than = Duration{length};
    return drawn;
}

}  // namespace sim::report
