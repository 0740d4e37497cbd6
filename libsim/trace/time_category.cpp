#include "libsim/trace/time_category.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sim::trace {

namespace {

struct Row {
    TimeCategory category;
    const char* name;
    const char* title;
    char mark;
    TimePart part;
    const char* meaning;
};

constexpr auto rows = std::to_array<Row>({
    {TimeCategory::compute, "compute", "compute", 'C', TimePart::compute,
     "Seconds of the forward and backward pass, once."},
    {TimeCategory::recompute, "recompute", "recompute", 'R', TimePart::compute, "Seconds of recomputed forward work."},
    {TimeCategory::tensor, "tensor", "tensor-parallel communication", 'T', TimePart::communication,
     "Seconds of exposed tensor-parallel communication, not hidden by computation."},
    {TimeCategory::context, "context", "context-parallel communication", 'X', TimePart::communication,
     "Seconds of exposed context-parallel communication."},
    {TimeCategory::expert, "expert", "expert-parallel communication", 'E', TimePart::communication,
     "Seconds of exposed expert-parallel communication."},
    {TimeCategory::pipeline, "pipeline", "messages between stages", 'P', TimePart::communication,
     "Seconds of waiting for messages in flight between stages."},
    {TimeCategory::data, "data", "data-parallel communication", 'D', TimePart::communication,
     "Seconds of exposed communication of gradients and parameters."},
    {TimeCategory::bubble, "bubble", "pipeline bubble", '.', TimePart::bubble, "Seconds in which a stage has no work."},
    {TimeCategory::optimizer, "optimizer", "optimizer", 'O', TimePart::rest,
     "Seconds of the update, with the gradient norm, and of adding gradients to their sum where no product does."},
    {TimeCategory::overhead, "overhead", "overhead", 'H', TimePart::rest,
     "Seconds of the host: data loader, launches."},
    {TimeCategory::straggler, "straggler", "stragglers", 'S', TimePart::rest, "Seconds of waiting for slower ranks."},
});

constexpr bool has_each_category() {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].category != static_cast<TimeCategory>(i)) {
            return false;
        }
    }
    return rows.size() == time_categories;
}
static_assert(has_each_category(), "a row for every category");

const Row& row_of(TimeCategory category) {
    return rows[static_cast<std::size_t>(category)];
}

}  // namespace

const char* name_of(TimeCategory category) {
    return row_of(category).name;
}

const char* title_of(TimeCategory category) {
    return row_of(category).title;
}

const char* meaning_of(TimeCategory category) {
    return row_of(category).meaning;
}

char mark_of(TimeCategory category) {
    return row_of(category).mark;
}

TimePart part_of(TimeCategory category) {
    return row_of(category).part;
}

const char* title_of(TimePart part) {
    switch (part) {
        case TimePart::compute: return "compute";
        case TimePart::communication: return "exposed communication";
        case TimePart::bubble: return "bubble";
        case TimePart::rest: break;
    }
    return "rest";
}

std::optional<TimeCategory> time_category(std::string_view name) {
    const auto* const found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
    return found == rows.end() ? std::nullopt : std::optional{found->category};
}

Duration TimeParts::total() const {
    return std::accumulate(of.begin(), of.end(), Duration{0});
}

TimeParts& TimeParts::operator+=(const TimeParts& other) {
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        of[kind] += other.of[kind];
    }
    return *this;
}

TimeParts& TimeParts::operator-=(const TimeParts& other) {
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        of[kind] -= other.of[kind];
    }
    return *this;
}

TimeParts operator*(std::int64_t times, const TimeParts& parts) {
    TimeParts product;
    for (std::size_t kind = 0; kind < time_categories; ++kind) {
        product.of[kind] = times * parts.of[kind];
    }
    return product;
}

TimeParts divided(Duration time, const TimeParts& parts) {
    const Duration total = parts.total();
    if (time == total) {
        return parts;
    }
    TimeParts result;
    Duration rest = time;
    for (std::size_t kind = 0; kind < time_categories && total.count() > 0; ++kind) {
        const double share = static_cast<double>(parts.of[kind].count()) / static_cast<double>(total.count());
        result.of[kind] = Duration{std::llround(static_cast<double>(time.count()) * share)};
        rest -= result.of[kind];
    }
    *std::max_element(result.of.begin(), result.of.end()) += rest;
    return result;
}

}  // namespace sim::trace
