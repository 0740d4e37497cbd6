# cmake -DFOLDER=… -DOUTPUT=… -P ndsim_embed_schemas.cmake: FOLDER/*.json as schema_files() of
# tools/command_line/schema_files.hpp.
file(GLOB files ${FOLDER}/*.json)
list(SORT files)
set(rows "")
foreach(path IN LISTS files)
    file(READ ${path} text)
    if(text MATCHES "\\)json\"")
        message(FATAL_ERROR "${path}: holds the end of the literal that it is put into")
    endif()
    cmake_path(GET path FILENAME name)
    string(APPEND rows "    SchemaFile{\"${name}\", R\"json(${text})json\"},\n")
endforeach()
list(LENGTH files count)
file(WRITE ${OUTPUT} "// Made by cmake/ndsim_embed_schemas.cmake.
#include \"tools/command_line/schema_files.hpp\"

#include <array>

namespace sim::command_line {

namespace {

constexpr std::array<SchemaFile, ${count}> embedded_schemas{
${rows}};

}  // namespace

std::span<const SchemaFile> schema_files() {
    return embedded_schemas;
}

}  // namespace sim::command_line
")
