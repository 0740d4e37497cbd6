// The element types of CUDA's libraries, which PyTorch's headers name. Nothing here is called.
#pragma once

typedef enum { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2 } cudaDataType;
typedef cudaDataType cudaDataType_t;
