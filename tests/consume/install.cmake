# cmake -DBUILD=... -DPREFIX=... -P install.cmake: installs a build into an empty prefix.
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} COMMAND_ERROR_IS_FATAL ANY)
foreach(file include/libsim/gpu.hpp include/ranks/launch.hpp share/ndsim/schemas/train.schema.json
        share/man/man1/ndsim.1 share/man/man1/ndsim-train.1 share/man/man1/4d_hybrid.1
        share/bash-completion/completions/ndsim share/bash-completion/completions/4d_hybrid
        share/zsh/site-functions/_ndsim share/fish/vendor_completions.d/ndsim.fish)
    if(NOT EXISTS ${PREFIX}/${file})
        message(FATAL_ERROR "${file} was not installed")
    endif()
endforeach()
foreach(folder process fiber)
    if(EXISTS ${PREFIX}/include/ranks/${folder})
        message(FATAL_ERROR "include/ranks/${folder} is internal, and was installed")
    endif()
endforeach()
