// Files of tools/labs/classes/files/SYSTEM/, compiled into the program, in which @words@ are to be filled in.
#pragma once

#include "tools/labs/desk/files.hpp"

#include <span>

namespace sim::labs {

std::span<const LabFile> kit_files();

}  // namespace sim::labs
