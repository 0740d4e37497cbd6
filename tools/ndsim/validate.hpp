// `ndsim validate`: published training runs, predicted and compared with what was measured.
#pragma once

namespace sim::scenarios {

int run_validate(int argc, const char* const* argv);

}  // namespace sim::scenarios
