# Who may include what (docs/design.md): the rank's side and the kernel's side of libsim meet only in core; libsim
# knows no process, thread, file or wall clock; Boost and spdlog stay behind the headers of ranks/, and Boost behind workers.hpp.

function fail(what) { printf "%s:%d: %s\n", FILENAME, FNR, what }

function exists(file,   line, found) {
    found = (getline line < file) >= 0
    close(file)
    return found
}

FNR == 1 {
    libsim = FILENAME ~ /^libsim\//
    schedule = FILENAME ~ /^libsim\/collectives\/(schedule\.[ch]pp|schedules\/)/
    kernel_side = FILENAME ~ /^libsim\/(kernel[.\/]|trace\/)/
    rank_side = FILENAME ~ /^libsim\/((gpu|port)\.|(model|parallel)\/)/ || (FILENAME ~ /^libsim\/collectives\// && !schedule)
    core = libsim && !kernel_side && !rank_side
    public_header = FILENAME ~ /^(libsim\/.*|ranks\/[^\/]*)\.hpp$/
}

libsim && /(system|steady|high_resolution)_clock/ { fail("libsim knows no wall clock") }

/^#include / {
    quoted = $2 ~ /^"/
    what = $2
    gsub(/[<>"]/, "", what)
    ours = what ~ /^(libsim|ranks|scenarios|tests|tools)\//

    if (ours && !quoted) fail("our own headers are included as \"" what "\"")
    if (quoted && !ours) fail("\"" what "\" is to be written as it lies from the root")
    if (quoted && ours && !exists(what)) fail(what " does not exist")

    to_rank_side = what ~ /^libsim\/((gpu|port)\.hpp$|(model|parallel)\/)/ || (what ~ /^libsim\/collectives\// && what !~ /\/schedule(\.hpp|s\/)/)
    to_kernel_side = what ~ /^libsim\/(kernel[.\/]|trace\/)/
    if (libsim && what ~ /^(ranks|scenarios|tools|tests)\//) fail("libsim includes nothing of " what)
    if (FILENAME ~ /^ranks\// && what ~ /^(scenarios|tools|tests)\//) fail("ranks/ includes nothing of " what)
    if ((kernel_side || core) && to_rank_side) fail("the rank's side is not known here: " what)
    if ((rank_side || core) && to_kernel_side) fail("the kernel's side is not known here: " what)

    if (libsim && what ~ /^(thread|mutex|shared_mutex|condition_variable|future|atomic|fstream|filesystem|iostream|cstdio|csignal|random|unistd\.h|signal\.h|poll\.h|pthread\.h|sys\/.*)$/)
        fail("libsim knows no process, thread, file or chance: <" what ">")
    if (what ~ /^boost\// && FILENAME !~ /^(ranks|tests)\/|\/workers\.cpp$/) fail("Boost belongs to ranks/ and to the threads of a program: <" what ">")
    if (what ~ /^spdlog\// && FILENAME !~ /^(ranks|scenarios|tests)\//) fail("spdlog belongs to ranks/: <" what ">")
    if (public_header && what ~ /^(boost|spdlog|openssl)\//) fail("not in a public header: <" what ">")
}
