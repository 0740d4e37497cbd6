#!/usr/bin/env bash
# usage.sh SOURCE: checks that every script of tools/ and .ci/ prints its usage on standard output, and refuses unknown arguments
# with one line and exit code 2. Scripts are found by their first line, so new ones are checked, too.
set -euo pipefail
cd "$1"
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT

scripts=()
for file in tools/* .ci/*; do
    [[ -f $file && -x $file && $(head -n 1 "$file") == '#!/usr/bin/env bash' ]] && scripts+=("$file")
done
# Today's number of scripts; fewer would mean that they are not found.
((${#scripts[@]} >= 15)) || { echo "only ${#scripts[@]} scripts were found" >&2; exit 1; }

fail() {
    echo "$*: exit code $code, on standard output:" >&2
    cat "$said/out" >&2
    echo "on standard error:" >&2
    cat "$said/err" >&2
    failed=1
}
run() {
    code=0
    timeout 30 "$@" > "$said/out" 2> "$said/err" < /dev/null || code=$?
}
failed=0
for script in "${scripts[@]}"; do
    run "$script" --help
    [[ $code == 0 && ! -s $said/err && $(head -n 1 "$said/out") == "$(basename "$script")"[\ :]* ]] || fail "$script" --help
    for unknown in --no-such-option no-such-word; do
        run "$script" "$unknown"
        if [[ $code != 2 || -s $said/out || $(wc -l < "$said/err") != 1 ]] || ! grep -qF -- "'$unknown'" "$said/err"; then
            fail "$script" "$unknown"
        fi
    done
done
((failed == 0)) && echo "${#scripts[@]} scripts say how they are used"
exit $failed
