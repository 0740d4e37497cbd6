// Empty: PyTorch's headers include this file only for GPU code; host code needs nothing from it.
#pragma once
