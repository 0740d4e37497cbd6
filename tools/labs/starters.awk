# awk -v into=FOLDER -f starters.awk SOLUTION...: cuts the learners' files of labs out of their solutions. The solution
# docs/labs/NN/solution.py gives FOLDER/NN/lab.py: its lines between "Your lines begin here" and "Your lines end here" are
# replaced by those that stand there behind "Starter: " in comments. The comment with the task, which comes first, remains.
function fail(what) {
    print solution ": " what > "/dev/stderr"
    exit failed = 1
}
function finish() {
    if (in_gap || gaps != 1) fail("a solution has one gap, between \"Your lines begin here\" and \"Your lines end here\"")
    if (!starters) fail("no comment in the gap begins with \"Starter: \"")
    close(starter)
}
FNR == 1 {
    if (NR > 1) finish()
    solution = FILENAME
    count = split(solution, path, "/")
    name = path[count]
    sub(/^train_solution\./, "train.", name)
    sub(/^solution\./, "lab.", name)
    starter = into "/" path[count - 1] "/" name
    printf "" > starter
    gaps = in_gap = in_task = starters = 0
}
/Your lines end here/ { in_gap = 0 }
!in_gap { print > starter }
/Your lines begin here/ { gaps += in_gap = in_task = 1; next }
in_gap && /^ *(\/\/|#) Starter: / {
    ++starters
    in_task = 0
    sub(/(\/\/|#) Starter: /, "")
    print > starter
}
in_gap && in_task && /^ *(\/\/|#)/ { print > starter; next }
{ in_task = 0 }
END { if (!failed) finish() }
