#include "libsim/report/trace_args.hpp"

#include <fmt/format.h>

namespace sim::report {

std::string exact_json(const Span& span) {
    std::string text = fmt::format(R"("ps":{},"dur_ps":{},"idle_ps":{},"op":{})", span.begin.time_since_epoch().count(),
                                   (span.end - span.begin).count(), span.idle.count(), span.op_number);
    if (span.stream != Stream::main) {
        text += fmt::format(R"(,"program_stream":{})", static_cast<int>(span.stream));
    }
    if (span.tag != 0) {
        text += fmt::format(R"(,"tag":{})", span.tag);
    }
    if (span.message != 0) {
        text += fmt::format(R"(,"message":{})", span.message);
    }
    return text;
}

std::string amount_json(const Span& span) {
    switch (span.measure) {
        case Measure::units: return fmt::format(R"("units":{})", Units::from_billionths(span.amount).value());
        case Measure::flops: return fmt::format(R"("flops":{})", span.amount);
        case Measure::bytes: break;
    }
    return fmt::format(R"("bytes":{})", span.amount);
}

}  // namespace sim::report
