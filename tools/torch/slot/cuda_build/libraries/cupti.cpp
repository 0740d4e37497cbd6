// CUPTI, which PyTorch's profiler asks for records of the GPU's work: there are none here.
#include <cstddef>
#include <cstdint>

namespace {
constexpr int done = 0;
constexpr int no_more_records = 12;
constexpr int not_supported = 27;
}  // namespace

// Counters and metrics, which a simulated GPU does not have.
#define NDSIM_REFUSED(name)   \
    int name() {              \
        return not_supported; \
    }
// Set-up, which succeeds without doing anything.
#define NDSIM_ACCEPTED(name) \
    int name() {             \
        return done;         \
    }

extern "C" {

int cuptiGetVersion(std::uint32_t* version) {
    *version = NDSIM_CUDA_VERSION;
    return done;
}

int cuptiGetResultString(int, const char** text) {
    *text = "not supported by ndsim's simulated CUPTI";
    return done;
}

int cuptiGetCallbackName(int, std::uint32_t, const char** text) {
    *text = "";
    return done;
}

int cuptiActivityGetNextRecord(std::uint8_t*, std::size_t, void** record) {
    *record = nullptr;
    return no_more_records;
}

int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* count) {
    *count = 0;
    return done;
}

NDSIM_ACCEPTED(cuptiActivityDisable)
NDSIM_ACCEPTED(cuptiActivityEnable)
NDSIM_ACCEPTED(cuptiActivityEnableCudaEventDeviceTimestamps)
NDSIM_ACCEPTED(cuptiActivityEnableDriverApi)
NDSIM_ACCEPTED(cuptiActivityEnableRuntimeApi)
NDSIM_ACCEPTED(cuptiActivityFlushAll)
NDSIM_ACCEPTED(cuptiActivityPopExternalCorrelationId)
NDSIM_ACCEPTED(cuptiActivityPushExternalCorrelationId)
NDSIM_ACCEPTED(cuptiActivityRegisterCallbacks)
NDSIM_ACCEPTED(cuptiActivityRegisterTimestampCallback)
NDSIM_ACCEPTED(cuptiActivitySetAttribute)
NDSIM_ACCEPTED(cuptiEnableCallback)
NDSIM_ACCEPTED(cuptiEnableDomain)
NDSIM_ACCEPTED(cuptiFinalize)
NDSIM_ACCEPTED(cuptiSubscribe)
NDSIM_ACCEPTED(cuptiUnsubscribe)
NDSIM_REFUSED(cuptiEventGetAttribute)
NDSIM_REFUSED(cuptiEventGetIdFromName)
NDSIM_REFUSED(cuptiEventGroupGetAttribute)
NDSIM_REFUSED(cuptiEventGroupReadEvent)
NDSIM_REFUSED(cuptiEventGroupSetAttribute)
NDSIM_REFUSED(cuptiEventGroupSetDisable)
NDSIM_REFUSED(cuptiEventGroupSetEnable)
NDSIM_REFUSED(cuptiEventGroupSetsCreate)
NDSIM_REFUSED(cuptiEventGroupSetsDestroy)
NDSIM_REFUSED(cuptiGetDeviceId)
NDSIM_REFUSED(cuptiMetricEnumEvents)
NDSIM_REFUSED(cuptiMetricGetAttribute)
NDSIM_REFUSED(cuptiMetricGetIdFromName)
NDSIM_REFUSED(cuptiMetricGetNumEvents)
NDSIM_REFUSED(cuptiMetricGetValue)
NDSIM_REFUSED(cuptiSetEventCollectionMode)
}
