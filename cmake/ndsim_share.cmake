# cmake -DBIN=FOLDER -DPROGRAMS=A;B -DOUTPUT=FOLDER -P ndsim_share.cmake: writes manual pages and completion scripts of
# ndsim and the other programs, as installed below share/. Their contents come from the programs' own tables.
set(man ${OUTPUT}/man/man1)
set(bash ${OUTPUT}/bash-completion/completions)
set(zsh ${OUTPUT}/zsh/site-functions)
set(fish ${OUTPUT}/fish/vendor_completions.d)
# Pages of removed commands must go; other files below share/ are not ours.
file(REMOVE_RECURSE ${man} ${bash} ${zsh} ${fish})
file(MAKE_DIRECTORY ${man} ${bash} ${zsh} ${fish})

function(printed_to file)
    execute_process(COMMAND ${ARGN} OUTPUT_FILE ${file} RESULT_VARIABLE code ERROR_VARIABLE said)
    if(NOT code EQUAL 0)
        list(JOIN ARGN " " line)
        message(FATAL_ERROR "${line}: exit code ${code}: ${said}")
    endif()
endfunction()

# pages_of(ndsim train): writes the pages of a program and, recursively, of its commands.
function(pages_of program)
    list(JOIN ARGV "-" page)
    printed_to(${man}/${page}.1 ${BIN}/${program} ${ARGN} --help man)
    execute_process(COMMAND ${BIN}/${program} ${ARGN} --help options OUTPUT_VARIABLE facts COMMAND_ERROR_IS_FATAL ANY)
    string(JSON count LENGTH "${facts}" commands)
    if(count GREATER 0)
        math(EXPR last "${count} - 1")
        foreach(i RANGE ${last})
            string(JSON command GET "${facts}" commands ${i} name)
            pages_of(${ARGV} ${command})
        endforeach()
    endif()
endfunction()
foreach(program IN LISTS PROGRAMS ITEMS ndsim)
    pages_of(${program})
endforeach()

printed_to(${bash}/ndsim ${BIN}/ndsim completion bash)
printed_to(${zsh}/_ndsim ${BIN}/ndsim completion zsh)
printed_to(${fish}/ndsim.fish ${BIN}/ndsim completion fish)
# bash and fish look for a file with the program's name; zsh reads the first line of every file.
foreach(program IN LISTS PROGRAMS)
    file(CREATE_LINK ndsim ${bash}/${program} SYMBOLIC)
    file(CREATE_LINK ndsim.fish ${fish}/${program}.fish SYMBOLIC)
endforeach()
