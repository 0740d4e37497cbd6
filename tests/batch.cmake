# cmake "-DFILES=A;B" -DOUTPUT=… -P batch.cmake: writes a source that compiles several test files together, each in a namespace of
# its own, so that their names do not clash. All their headers come first, so that the files' own includes are empty behind their
# guards. A file that adds to one of our namespaces stays outside.
set(includes "")
set(bodies "")
foreach(file IN LISTS FILES)
    file(STRINGS ${file} lines REGEX "^#include ")
    list(APPEND includes ${lines})
    file(STRINGS ${file} of_ours REGEX "^namespace [a-z]" LIMIT_COUNT 1)
    if(of_ours)
        string(APPEND bodies "#include \"${file}\"\n")
    else()
        cmake_path(GET file STEM name)
        string(MAKE_C_IDENTIFIER "tests_of_${name}" name)
        string(APPEND bodies "namespace ${name} {\n#include \"${file}\"\n}\n")
    endif()
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
# Written only when it changes: it includes the files themselves, whose changes the compiler tracks.
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Made by tests/batch.cmake.\n${includes}\n\n${bodies}" @ONLY)
