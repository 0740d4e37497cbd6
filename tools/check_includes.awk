# Include rules. The rooms of libsim/rooms.txt are layered: includes never go up or sideways, and things that a room
# must not know (threads, files, Boost) stay out of it. Folders that include each other can be read only together.

function fail(what) { printf "%s:%d: %s\n", FILENAME, FNR, what }

function exists(file,   line, found) {
    found = (getline line < file) >= 0
    close(file)
    return found
}

# The room of a path: that with the longest path prefix of it.
function room_of(path,   i, found, longest) {
    longest = 0
    for (i = 1; i <= paths; ++i) {
        if (length(path_begins[i]) > longest && index(path, path_begins[i]) == 1) {
            longest = length(path_begins[i])
            found = path_room[i]
        }
    }
    return found
}

function read_rooms(   line, word, words, i, other) {
    while ((getline line < "libsim/rooms.txt") > 0) {
        if (line !~ /^[a-z]/) continue
        words = split(line, word, /[ \t]+/)
        stands_on[word[1], word[1]] = 1
        for (i = 2; i <= words; ++i) {
            if (word[i] ~ /\//) {
                path_begins[++paths] = word[i]
                path_room[paths] = word[1]
            } else if (word[i] != "-") {
                if (!((word[i], word[i]) in stands_on)) {
                    printf "libsim/rooms.txt: %s stands on %s, which is not below it\n", word[1], word[i]
                }
                for (other in stands_on) {
                    split(other, pair, SUBSEP)
                    if (pair[1] == word[i]) stands_on[word[1], pair[2]] = 1
                }
            }
        }
    }
    close("libsim/rooms.txt")
}

BEGIN { read_rooms() }

function folder_of(path) {
    sub(/\/[^\/]*$/, "", path)
    return path
}

# Whether includes lead from one folder to another, directly or through others.
function leads(from, to, seen,   i, count, next_folders) {
    if (from == to) return 1
    if (from in seen) return 0
    seen[from]
    count = split(includes[from], next_folders, " ")
    for (i = 1; i <= count; ++i) {
        if (leads(next_folders[i], to, seen)) return 1
    }
    return 0
}

FNR == 1 {
    folder = folder_of(FILENAME)
    libsim = FILENAME ~ /^libsim\//
    room = room_of(FILENAME)
    reads_files = FILENAME ~ /^libsim\/config\/text_file\./
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
    if (ours && !((room, room_of(what)) in stands_on)) {
        fail(what " lies in " room_of(what) ", which is not below " room " (libsim/rooms.txt)")
    }

    other = folder_of(what)
    # The root of libsim has public headers of several rooms, above and below its folders.
    if (ours && other != folder && folder != "libsim" && !((folder, other) in place)) {
        includes[folder] = includes[folder] " " other
        place[folder, other] = FILENAME ":" FNR
    }

    if (libsim && !reads_files && what ~ /^(thread|mutex|shared_mutex|condition_variable|future|atomic|fstream|filesystem|iostream|cstdio|csignal|random|unistd\.h|signal\.h|poll\.h|pthread\.h|sys\/.*)$/)
        fail("libsim knows no process, thread, file or chance: <" what ">")
    if (what ~ /^boost\// && FILENAME !~ /^(ranks|tests)\/|\/workers\.cpp$/) fail("Boost belongs to ranks/ and workers.cpp: <" what ">")
    if (what ~ /^boost\/interprocess\// && what !~ /\/(mapped_region|anonymous_shared_memory|exceptions)\.hpp$/)
        fail("of Boost.Interprocess, mappings alone: what waits hangs when a process is killed (docs/why.md): <" what ">")
    if (what ~ /^spdlog\// && FILENAME !~ /^(ranks|scenarios|tools|tests)\//) fail("spdlog belongs to programs: <" what ">")
    if (public_header && what ~ /^(boost|spdlog|openssl)\//) fail("not in a public header: <" what ">")
}

END {
    for (edge in place) {
        split(edge, pair, SUBSEP)
        split("", seen)
        if (leads(pair[2], pair[1], seen)) printf "%s: %s includes %s, which leads back to it\n", place[edge], pair[1], pair[2]
    }
}
