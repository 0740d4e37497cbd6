# ndsim_embed_files(INTO GLOB NAMES TYPE FUNCTION NAMESPACE HEADER): compiles data files into a library, because the
# libraries read no files. Appends a generated FUNCTION.cpp to the list INTO; it defines FUNCTION(), declared in HEADER,
# as an array of NAMESPACE::TYPE (ndsim_embed.cmake).
function(ndsim_embed_files into glob names type function namespace header)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
    set(embed ${ndsim_SOURCE_DIR}/cmake/ndsim_embed.cmake)
    file(GLOB files CONFIGURE_DEPENDS ${ndsim_SOURCE_DIR}/${glob})
    add_custom_command(OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DFILES=${ndsim_SOURCE_DIR}/${glob} -DNAMES=${names} -DTYPE=${type} -DFUNCTION=${function}
                -DNAMESPACE=${namespace} -DHEADER=${header} -DOUTPUT=${output} -P ${embed}
        DEPENDS ${files} ${embed} VERBATIM)
    set(${into} ${${into}} ${output} PARENT_SCOPE)
endfunction()
