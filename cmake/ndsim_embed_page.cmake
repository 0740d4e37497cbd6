# cmake -DFOLDER=… -DOUTPUT=… -P ndsim_embed_page.cmake: embeds FOLDER/page.{html,css,js} as
# libsim/report/page/run_data.hpp declares. String literals are limited in length, so each file is cut into parts.
set(most 16000)
function(function_of name file result)
    file(READ ${FOLDER}/${file} text)
    if(text MATCHES "\\)page\"")
        message(FATAL_ERROR "${FOLDER}/${file}: holds the end of the literal that it is put into")
    endif()
    string(LENGTH "${text}" length)
    set(parts "")
    set(at 0)
    while(at LESS length)
        string(SUBSTRING "${text}" ${at} ${most} part)
        string(APPEND parts "        R\"page(${part})page\",\n")
        math(EXPR at "${at} + ${most}")
    endwhile()
    set(${result} "std::string ${name}() {
    return joined({
${parts}    });
}
" PARENT_SCOPE)
endfunction()
function_of(page_template page.html template)
function_of(page_style page.css style)
function_of(page_script page.js script)
file(WRITE ${OUTPUT} "// Made by cmake/ndsim_embed_page.cmake.
#include \"libsim/report/page/run_data.hpp\"

#include <initializer_list>
#include <string_view>

namespace sim::report {

namespace {

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) {
        text += part;
    }
    return text;
}

}  // namespace

${template}
${style}
${script}
}  // namespace sim::report
")
