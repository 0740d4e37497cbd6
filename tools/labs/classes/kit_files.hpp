// These are the files of tools/labs/classes/files/SYSTEM/, compiled into the program, with @words@ to fill in.
#pragma once

#include "tools/labs/desk/files.hpp"

#include <span>

namespace sim::labs {

std::span<const LabFile> kit_files();

}  // namespace sim::labs
