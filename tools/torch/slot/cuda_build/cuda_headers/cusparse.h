// The handle of cuSPARSE, which PyTorch's headers name. Nothing here is called.
#pragma once

#include "library_types.h"

typedef struct cusparseContext* cusparseHandle_t;
typedef enum { CUSPARSE_STATUS_SUCCESS = 0 } cusparseStatus_t;
