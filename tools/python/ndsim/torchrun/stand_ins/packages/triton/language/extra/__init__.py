"""Triton language extras for one kind of GPU."""

from . import cuda as cuda
from . import libdevice as libdevice
