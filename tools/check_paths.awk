# Reports paths in backquotes that name no file or folder. The first file lists all files of the repository; a page may name the end of
# a path: `libsim/gpu.hpp`, `gpu.hpp`, `collectives/`.
FNR == NR {
    count = split($0, parts, "/")
    for (last = count; last > 0; --last) {
        tail = last == count ? "" : "/"
        for (first = last; first > 0; --first) {
            tail = parts[first] (first == last ? "" : "/") tail
            known[tail]
        }
    }
    next
}
{
    rest = $0
    while (match(rest, /`[^` ]+`/)) {
        name = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        # NN stands for a number, and build/ is made by the build.
        if (name ~ /^[A-Za-z0-9_.\/-]+(\.(hpp|cpp|py|ts|css|sh|awk|cmake|toml|txt|md)|\/)$/ && name !~ /(^build\/|NN)/ && !(name in known)) {
            print FILENAME ":" FNR ": no file or folder is named " name
        }
    }
}
