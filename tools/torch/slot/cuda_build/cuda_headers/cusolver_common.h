// The status of cuSOLVER, which PyTorch's headers name. Nothing here is called.
#pragma once

typedef enum { CUSOLVER_STATUS_SUCCESS = 0 } cusolverStatus_t;
