// The properties of a device, in the layout of CUDA 12 and in that of CUDA 13, which lacks eight fields.
//
// The order and the types are fixed, because PyTorch's compiled libraries read these fields.
#pragma once

#if CUDART_VERSION >= 13000
#define NDSIM_UNTIL_12(field)
#else
#define NDSIM_UNTIL_12(field) field
#endif

struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    NDSIM_UNTIL_12(int clockRate;)
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    NDSIM_UNTIL_12(int deviceOverlap;)
    int multiProcessorCount;
    NDSIM_UNTIL_12(int kernelExecTimeoutEnabled;)
    int integrated;
    int canMapHostMemory;
    NDSIM_UNTIL_12(int computeMode;)
    int largestTextures[25 NDSIM_UNTIL_12(+1)];
    int largestSurfaces[14];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    NDSIM_UNTIL_12(int memoryClockRate;)
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    NDSIM_UNTIL_12(int singleToDoublePrecisionPerfRatio;)
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    NDSIM_UNTIL_12(int cooperativeMultiDeviceLaunch;)
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int rest[76];
};
