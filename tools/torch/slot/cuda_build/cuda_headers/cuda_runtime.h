// The header that programs include for the CUDA runtime; without a CUDA compiler it has only the runtime's functions.
#pragma once

#include "cuda_runtime_api.h"
