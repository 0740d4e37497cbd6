# ndsim_numbered_list(OUTPUT FILES HEAD DECLARATION CALL FUNCTION TAIL): writes a source file that lists the definitions
# in the files NN_name.cpp. NN in DECLARATION and CALL becomes the number; FUNCTION returns the values of all calls.
function(ndsim_numbered_list output files head declaration call function tail)
    set(declarations "")
    set(calls "")
    foreach(file IN LISTS files)
        cmake_path(GET file FILENAME name)
        string(SUBSTRING ${name} 0 2 number)
        string(REPLACE NN ${number} declared "${declaration}")
        string(REPLACE NN ${number} called "${call}")
        string(APPEND declarations "${declared};\n")
        string(APPEND calls "${called}, ")
    endforeach()
    file(CONFIGURE OUTPUT ${output} @ONLY CONTENT "// Made by cmake/ndsim_numbered_list.cmake.
${head}
${declarations}
${function} {
    return {${calls}};
}

${tail}")
endfunction()
