// The handle of cuSOLVER, which PyTorch's headers name. Nothing here is called.
#pragma once

#include "cusolver_common.h"

typedef struct cusolverDnContext* cusolverDnHandle_t;
