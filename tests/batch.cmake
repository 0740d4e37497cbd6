# cmake "-DFILES=A;B" -DOUTPUT=… -P batch.cmake: a source that compiles several files of tests together, each in a namespace of its
# own, so that their names do not meet. The headers of all come first: behind their guards, the files' own includes are empty then.
# A file that adds to a namespace of ours stands outside.
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
# Written only where it changes: what is compiled is the files themselves, of which the compiler keeps account.
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Made by tests/batch.cmake.\n${includes}\n\n${bodies}" @ONLY)
