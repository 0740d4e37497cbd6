// This stream compresses everything written to it, as gzip does. The same text gives the same bytes.
#pragma once

#include <functional>
#include <ostream>

namespace sim::report {

void write_gzip(std::ostream& out, const std::function<void(std::ostream&)>& write);

}  // namespace sim::report
