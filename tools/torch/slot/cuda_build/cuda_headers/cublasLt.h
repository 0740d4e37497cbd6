// The handle of cuBLASLt, which PyTorch's headers name. Nothing here is called.
#pragma once

typedef struct cublasLtContext* cublasLtHandle_t;
