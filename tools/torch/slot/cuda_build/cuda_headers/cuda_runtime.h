// What programs include for the CUDA runtime; without a CUDA compiler it is the runtime's functions alone.
#pragma once

#include "cuda_runtime_api.h"
