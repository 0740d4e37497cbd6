// The PyTorch installation that tests of labs run scripts on.
#pragma once

#include "tools/command_line/child_process.hpp"
#include "tools/labs/desk/toolbox.hpp"

#include <cstdlib>

namespace sim::labs {

// Whether PyTorch is available. Builds the extension first, so that no later run compiles it and reports that.
inline bool has_pytorch() {
    if (!NDSIM_HAS_TORCH) {
        return false;
    }
    const Toolbox toolbox = read_toolbox();
    let_python_find_ndsim(toolbox);
    ::setenv("NDSIM_TORCH_CACHE", NDSIM_TORCH_CACHE, 1);
    const char* const compile = "from ndsim.torch.making import builder; builder.build()";
    return command_line::run_child("/usr/bin/env", {toolbox.interpreter, "-c", compile},
                                   {.out = "/dev/null", .err = "/dev/null"}) == 0;
}

}  // namespace sim::labs
