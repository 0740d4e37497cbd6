// The handle of cuBLAS, which PyTorch's headers name. Nothing here is called.
#pragma once

#include "library_types.h"

typedef struct cublasContext* cublasHandle_t;
typedef enum { CUBLAS_STATUS_SUCCESS = 0 } cublasStatus_t;
