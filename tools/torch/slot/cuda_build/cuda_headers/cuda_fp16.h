// PyTorch's headers include this file for GPU code alone; nothing of it is needed by the host's.
#pragma once
