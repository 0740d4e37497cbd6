// What differs between versions of PyTorch, from 2.6 on.
#pragma once

#include <torch/version.h>

#define SIM_SLOT_TORCH (TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR)
