# cmake -DFILES=GLOB -DNAMES=file|stem|folder_and_stem|folder_and_file -DTYPE=T -DFUNCTION=F -DNAMESPACE=N -DHEADER=H
# -DOUTPUT=… -P ndsim_embed.cmake: embeds the files in a program, as F() declared in H, an array of T{names…, text}.
# With -DAS=digest each text is the file's SHA-256.
file(GLOB files ${FILES})
list(SORT files)
set(rows "")
foreach(path IN LISTS files)
    if(AS STREQUAL "digest")
        file(SHA256 ${path} text)
    else()
        file(READ ${path} text)
    endif()
    if(text MATCHES "\\)text\"")
        message(FATAL_ERROR "${path}: holds the end of the literal that it is put into")
    endif()
    cmake_path(GET path FILENAME file)
    cmake_path(GET path STEM LAST_ONLY stem)
    cmake_path(GET path PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    set(names_file "\"${file}\"")
    set(names_stem "\"${stem}\"")
    set(names_folder_and_file "\"${folder}\", \"${file}\"")
    set(names_folder_and_stem "\"${folder}\", \"${stem}\"")
    string(APPEND rows "    ${TYPE}{${names_${NAMES}}, R\"text(${text})text\"},\n")
endforeach()
list(LENGTH files count)
file(WRITE ${OUTPUT} "// Made by cmake/ndsim_embed.cmake.
#include \"${HEADER}\"

#include <array>

namespace ${NAMESPACE} {

namespace {

constexpr std::array<${TYPE}, ${count}> embedded_by_${FUNCTION}{
${rows}};

}  // namespace

std::span<const ${TYPE}> ${FUNCTION}() {
    return embedded_by_${FUNCTION};
}

}  // namespace ${NAMESPACE}
")
