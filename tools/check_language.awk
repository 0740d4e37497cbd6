# check_language.awk: reports comment blocks, docstrings and help texts that open with a hanging clause: a sentence names its
# subject first.
FNR == 1 { in_comment = 0; in_row = 0 }
{
    is_comment = $0 ~ /^[ \t]*(\/\/|#)/ && $0 !~ /^[ \t]*#(!|include|if|el|endif|define|undef|pragma)/
    if (is_comment && !in_comment && match($0, /^[ \t]*(\/\/|#) (What|Of|Who|Whose|Whom|Those) /)) {
        report("a comment")
    }
    if ($0 ~ /^[ \t]*r?"""(What|Of|Who|Whose|Whom|Those) /) {
        report("a docstring")
    }
    # {"name", "VALUE", "help": an option row, on one line or with the help on the next.
    if ($0 ~ /\{"[a-z][a-z-]*", "([A-Z][^"]*)?", "(of|that|until|which|whose|what|who|where|in place) / ||
        (in_row && $0 ~ /^[ \t]*"(of|that|until|which|whose|what|who|where|in place) /)) {
        report("a help text")
    }
    in_comment = is_comment
    in_row = $0 ~ /\{"[a-z][a-z-]*", "([A-Z][^"]*)?",$/
}
function report(what) { print FILENAME ":" FNR ": " what " opens with a hanging clause; name its subject first" }
