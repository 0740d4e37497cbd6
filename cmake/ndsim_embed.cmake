# cmake -DFOLDER=… -DOUTPUT=… -P ndsim_embed.cmake: FOLDER/*/*.toml as hardware_files() of libsim/training/hardware/files.hpp.
file(GLOB files ${FOLDER}/*/*.toml)
list(SORT files)
set(rows "")
foreach(path IN LISTS files)
    file(READ ${path} text)
    if(text MATCHES "\\)toml\"")
        message(FATAL_ERROR "${path}: holds the end of the literal that it is put into")
    endif()
    cmake_path(GET path STEM LAST_ONLY stem)
    cmake_path(GET path PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    string(APPEND rows "    HardwareFile{\"${folder}\", \"${stem}\", R\"toml(${text})toml\"},\n")
endforeach()
list(LENGTH files count)
file(WRITE ${OUTPUT} "// Made by cmake/ndsim_embed.cmake.
#include \"libsim/training/hardware/files.hpp\"

#include <array>

namespace sim::training {

namespace {

constexpr std::array<HardwareFile, ${count}> files{
${rows}};

}  // namespace

std::span<const HardwareFile> hardware_files() {
    return files;
}

}  // namespace sim::training
")
