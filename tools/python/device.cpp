#include "tools/python/device.hpp"

#include <algorithm>

namespace sim::python {

namespace {

// More than any program launches between two things that depend on them.
constexpr std::size_t most_kept_back = 1U << 16U;

}  // namespace

void Device::kernel(std::string_view label, Duration time) {
    host_ += launch_;
    if (time > Duration{0}) {
        kept_back_.push_back({keep(label), time.count(), host_, false});
        if (kept_back_.size() == most_kept_back) {
            flush();
        }
    }
}

void Device::allocate(std::string_view label, std::int64_t bytes) {
    if (bytes != 0) {
        kept_back_.push_back({keep(label), bytes, host_, true});
    }
}

// Said only where it may matter.
void Device::idle_until(Duration at) {
    if (at > least_) {
        gpu_->idle_until(at);
        least_ = at;
    }
}

void Device::flush() {
    for (const Work& work : kept_back_) {
        if (work.is_memory) {
            const Size size = Bytes{std::abs(work.amount)};
            work.amount > 0 ? gpu_->allocate(*work.label, size) : gpu_->release(*work.label, size);
            continue;
        }
        idle_until(work.handed_over);
        // On a machine a unit is a millisecond, so a billionth of it a picosecond.
        gpu_->compute(*work.label, sim::Work{work.amount, Measure::units});
        least_ += Duration{work.amount};
    }
    kept_back_.clear();
    idle_until(host_);
}

Device::Launched Device::collective(const Group& group, const Collective& what, const Terms& terms) {
    host_ += launch_;
    if (terms.after_main) {
        flush();
    } else {
        gpu_->issue_from(std::max(host_, terms.not_before));
    }
    Launched launched;
    launched.handle = gpu_->on(terms.stream, [&] {
        for (const Handle& handle : terms.after) {
            gpu_->wait(handle);
        }
        if (terms.data || terms.takes) {
            launched.brought = gpu_->bring(terms.data.value_or(std::span<const std::byte>{}), terms.takes);
        }
        gpu_->collective(group, what);
    });
    if (!terms.after_main) {
        gpu_->issue_from(std::nullopt);
    }
    return launched;
}

void Device::join(const Handle& handle) {
    flush();
    gpu_->wait(handle);
}

Handle Device::mark(Stream stream) {
    flush();
    return gpu_->on(stream, [] {});
}

void Device::join(Duration at) {
    flush();
    idle_until(at);
}

Duration Device::now() {
    flush();
    least_ = std::max(least_, gpu_->now());
    return least_;
}

Duration Device::synchronize() {
    host_ = std::max(host_, now());
    return host_;
}

}  // namespace sim::python
