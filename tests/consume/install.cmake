# cmake -DBUILD=... -DPREFIX=... -P install.cmake: installs a build into an empty prefix.
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} COMMAND_ERROR_IS_FATAL ANY)
foreach(file include/libsim/gpu.hpp include/ranks/launch.hpp share/ndsim/schemas/train.schema.json
        share/ndsim/hardware/machines/dgx-h100.toml share/ndsim/models/llama/03_llama3.toml
        share/man/man1/ndsim.1 share/man/man1/ndsim-train.1 share/man/man1/4d_hybrid.1
        share/bash-completion/completions/ndsim share/bash-completion/completions/4d_hybrid
        share/zsh/site-functions/_ndsim share/fish/vendor_completions.d/ndsim.fish)
    if(NOT EXISTS ${PREFIX}/${file})
        message(FATAL_ERROR "${file} was not installed")
    endif()
endforeach()
# Every header that an installed one includes is installed, too, or comes with a library that the package asks for.
file(GLOB_RECURSE headers ${PREFIX}/include/*.hpp)
foreach(header IN LISTS headers)
    file(STRINGS ${header} included REGEX "^#include ")
    foreach(line IN LISTS included)
        if(line MATCHES "\"((libsim|ranks)/.*)\"" AND NOT EXISTS ${PREFIX}/include/${CMAKE_MATCH_1})
            message(FATAL_ERROR "${header} includes ${CMAKE_MATCH_1}, which was not installed")
        elseif(line MATCHES "<(.*)/.*>" AND NOT CMAKE_MATCH_1 MATCHES "^(fmt|spdlog|sys)$")
            message(FATAL_ERROR "${header} includes ${line}: users of the package need no such library")
        endif()
    endforeach()
endforeach()
foreach(folder process fiber)
    if(EXISTS ${PREFIX}/include/ranks/${folder})
        message(FATAL_ERROR "include/ranks/${folder} is internal, and was installed")
    endif()
endforeach()
