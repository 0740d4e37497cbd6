// The work of simulated GPUs in PyTorch's profiler: an additional profiler for Kineto.
//
// Kernels are linked to the operators that launched them. They have simulated times, starting at the simulated host's
// time when the profiler began; operators have the times of this computer.
#define FMT_HEADER_ONLY
#include "tools/torch/slot/seam_table.hpp"

#include <libkineto.h>

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sim::slot {

namespace {

using libkineto::ActivityType;

constexpr std::int64_t picoseconds_a_nanosecond = 1000;

ActivityType type_of(seam::SeenKind kind) {
    return kind == seam::SeenKind::copy ? ActivityType::GPU_MEMCPY : ActivityType::CONCURRENT_KERNEL;
}

std::int64_t real_nanoseconds() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

class Session final : public libkineto::IActivityProfilerSession {
public:
    void start() override {
        simulated_begin_ = gpu().host_now();
        real_begin_ = real_nanoseconds();
        gpu().watch(true);
    }
    void stop() override { gpu().watch(false); }
    std::vector<std::string> errors() override { return errors_; }
    void processTrace(libkineto::ActivityLogger& logger) override {
        processTrace(
            logger, [](std::int32_t) { return nullptr; }, 0, 0);
    }
    void processTrace(libkineto::ActivityLogger& logger, libkineto::getLinkedActivityCallback linked,
                      std::int64_t /*from*/, std::int64_t /*to*/) override {
        const seam::Seen* all = nullptr;
        const std::int32_t count = gpu().seen(&all);
        if (count < 0) {
            errors_.emplace_back(gpu().error());
            return;
        }
        for (std::int32_t i = 0; i < count; ++i) {
            add(all[i], i + 1, all[i].tag == 0 ? nullptr : linked(static_cast<std::int32_t>(all[i].tag)));
            made_->activities.back()->log(logger);
        }
    }
    std::unique_ptr<libkineto::DeviceInfo> getDeviceInfo() override { return nullptr; }
    std::vector<libkineto::ResourceInfo> getResourceInfos() override { return {}; }
    std::unique_ptr<libkineto::CpuTraceBuffer> getTraceBuffer() override { return std::move(made_); }

    // A thread's operators are nested; the running one is that of the thread that called last.
    void pushCorrelationId(std::uint64_t id) override {
        operators().push_back(id);
        gpu().tag(id);
    }
    void popCorrelationId() override {
        if (!operators().empty()) {
            operators().pop_back();
        }
        gpu().tag(operators().empty() ? 0 : operators().back());
    }

private:
    static std::vector<std::uint64_t>& operators() {
        thread_local std::vector<std::uint64_t> open;
        return open;
    }
    std::int64_t real(std::int64_t simulated) const {
        return real_begin_ + (simulated - simulated_begin_) / picoseconds_a_nanosecond;
    }
    void add(const seam::Seen& seen, std::int32_t number, const libkineto::ITraceActivity* linked) {
        made_->emplace_activity(made_->span, type_of(seen.kind), seen.name);
        libkineto::GenericTraceActivity& activity = *made_->activities.back();
        activity.startTime = real(seen.begin);
        activity.endTime = activity.startTime + (seen.end - seen.begin) / picoseconds_a_nanosecond;
        activity.id = number;
        activity.device = seen.stream.device;
        activity.resource = static_cast<std::int32_t>(seen.stream.number);
        activity.threadId = activity.resource;
        activity.linked = linked;
        if (linked != nullptr) {
            activity.flow.id = static_cast<std::uint32_t>(linked->correlationId());
            activity.flow.type = libkineto::kLinkAsyncCpuGpu;
        }
        activity.addMetadata("device", seen.stream.device);
        activity.addMetadata("stream", seen.stream.number);
        activity.addMetadata("correlation", number);
    }

    std::int64_t simulated_begin_ = 0;
    std::int64_t real_begin_ = 0;
    std::unique_ptr<libkineto::CpuTraceBuffer> made_ = std::make_unique<libkineto::CpuTraceBuffer>();
    std::vector<std::string> errors_;
};

class KernelProfiler final : public libkineto::IActivityProfiler {
public:
    const std::string& name() const override { return name_; }
    const std::set<ActivityType>& availableActivities() const override { return types_; }
    std::unique_ptr<libkineto::IActivityProfilerSession> configure(const std::set<ActivityType>& asked,
                                                                   const libkineto::Config& /*config*/) override {
        const bool is_asked = asked.contains(ActivityType::CONCURRENT_KERNEL);
        return is_asked && has_gpu() ? std::make_unique<Session>() : nullptr;
    }
    std::unique_ptr<libkineto::IActivityProfilerSession> configure(std::int64_t /*begin*/, std::int64_t /*duration*/,
                                                                   const std::set<ActivityType>& asked,
                                                                   const libkineto::Config& config) override {
        return configure(asked, config);
    }

private:
    std::string name_ = "ndsim";
    std::set<ActivityType> types_{ActivityType::CONCURRENT_KERNEL, ActivityType::GPU_MEMCPY};
};

const bool is_profiler_known = [] {
    libkineto::api().registerProfilerFactory([] { return std::make_unique<KernelProfiler>(); });
    return true;
}();

}  // namespace

}  // namespace sim::slot
