# A function is one thought: at most 60 lines, from its name to its closing brace.
#
# Tracks braces over the whole file. A brace after a text with a parenthesis opens a function, unless already inside
# one; namespaces and classes open scopes in which functions are searched.

function forget(   i) {
    for (i = 0; i <= depth; ++i) delete kind[i]
    depth = 0
    text = ""
    started = 0
    inside = 0
    raw = ""
    block_comment = 0
}

FNR == 1 { forget() }

function opens(   scope) {
    ++depth
    if (inside) { kind[depth] = "body"; return }
    gsub(/alignas *\([^)]*\)/, "", text)
    scope = text ~ /(^|[^_[:alnum:]])(namespace|class|struct|union|enum|extern)([^_[:alnum:]]|$)/
    if (text ~ /\(/) {
        kind[depth] = "function"
        inside = depth
        begin = started
        name = text
        sub(/\(.*/, "", name)
        sub(/.*[ \t*&]/, "", name)
    } else {
        kind[depth] = scope ? "scope" : "values"
    }
}

function closes() {
    if (inside == depth && inside) {
        if (FNR - begin + 1 > 60)
            printf "%s:%d: %s has %d lines; a function stops at 60\n", FILENAME, begin, name, FNR - begin + 1
        inside = 0
    }
    if (depth > 0) --depth
}

{
    line = $0
    if (line ~ /^[ \t]*#/) next
    if (raw != "") {
        at = index(line, raw)
        if (!at) next
        line = substr(line, at + length(raw))
        raw = ""
    }
    gsub(/\\\\/, "", line)
    gsub(/\\["\047]/, "", line)
    while (match(line, /R"[A-Za-z_]*\(/)) {
        tag = ")" substr(line, RSTART + 2, RLENGTH - 3) "\""
        rest = substr(line, RSTART + RLENGTH)
        line = substr(line, 1, RSTART - 1)
        at = index(rest, tag)
        if (!at) { raw = tag; break }
        line = line "0" substr(rest, at + length(tag))
    }
    gsub(/"[^"]*"/, "0", line)
    gsub(/\047[{}();"]\047/, "0", line)
    sub(/\/\/.*/, "", line)
    n = split(line, characters, "")
    for (i = 1; i <= n; ++i) {
        c = characters[i]
        if (c == "{") { opens(); text = ""; started = 0 }
        else if (c == "}") { closes(); text = ""; started = 0 }
        else if (c == ";" || (c == ":" && text ~ /(public|private|protected) *$/)) { text = ""; started = 0 }
        else {
            if (!started && c !~ /[ \t]/) started = FNR
            text = text c
        }
    }
    text = text " "
}
