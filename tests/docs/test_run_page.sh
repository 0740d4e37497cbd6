#!/usr/bin/env bash
# test_run_page.sh FOLDER: tests that the page runner runs the right blocks, and fails when a block fails.
set -euo pipefail
folder=$1
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$folder"
mkdir -p "$folder/source/tools" "$folder/build"

cat > "$folder/good.md" <<'PAGE'
<!-- file: made/hello.txt -->
```text
hello
```
```sh
grep -q hello made/hello.txt
echo ran > ran.txt
```
Text, and the
file `made/visible.txt` in it. File `made/visible.txt`:
```text
not this: the line above holds more than the name
```
File `made/seen.txt`:
```text
seen
```
```sh
cat made/seen.txt
test ! -e made/visible.txt
```
<!-- output -->
```text
seen
```
<!-- output of: seq 1000000 | grep -q 1; seq 1000000 | head -n 1 -->
```text
1
```
<!-- not run: it would fail -->
```sh
false
```
<!-- output of: echo one; echo two -->
```text
one
two
```
```console
$ test -f ran.txt \
    -a -d build
an output line, which is no command
```
```cpp
int main() {}
```
PAGE
"$here/run_page.sh" "$folder/good.md" "$folder/source" "$folder/build" "$folder/run"
[[ $(cat "$folder/run/ran.txt") == ran ]]
[[ -z $(ls "$folder/source/tools") ]]

fails() {
    printf '%s\n' "$@" > "$folder/bad.md"
    if "$here/run_page.sh" "$folder/bad.md" "$folder/source" "$folder/build" "$folder/run" > /dev/null 2>&1; then
        echo "this page should have failed:" "$@" >&2
        exit 1
    fi
}
fails '```sh' 'false' 'true' '```'
fails '<!-- output of: echo one -->' '```text' 'two' '```'
fails '```bash' 'false | true' '```'
fails '```console' '$ true' '$ false' 'done' '```'
fails '<!-- not run: why -->' '' '```sh' 'false' '```'
fails '<!-- file: tools/new.txt -->' '```text' 'x' '```'
# shellcheck disable=SC2016  # backticks of Markdown
fails 'File `tools/new.txt`:' '```text' 'x' '```'
fails '```sh' 'echo x' '```' '<!-- output -->' '```text' 'y' '```'
fails '```sh' 'echo x' 'false' '```' '<!-- output -->' '```text' 'x' '```'
mkdir -p "$folder/pictures"
echo drawn > "$folder/pictures/p.svg"
printf '%s\n' '<!-- pictures drawn here -->' '```sh' 'echo drawn > p.svg' '```' '![P](pictures/p.svg)' > "$folder/good.md"
"$here/run_page.sh" "$folder/good.md" "$folder/source" "$folder/build" "$folder/run"
# shellcheck disable=SC2016  # backticks of Markdown
fails '<!-- pictures drawn here -->' '```sh' 'echo other > p.svg' '```' '![P](pictures/p.svg)'
fails '<!-- pictures drawn here -->' '![P](pictures/p.svg)'

# Tests that ctest runs are only listed: a filter that matches none fails.
mkdir -p "$folder/build/bin"
cat > "$folder/build/bin/ndsim_test_unit" <<'PROGRAM'
#!/bin/sh
[ "$1" = --gtest_list_tests ] || exit 1
case $2 in *=Known*) printf 'Known.\n  Test\n' ;; esac
PROGRAM
chmod +x "$folder/build/bin/ndsim_test_unit"
printf '%s\n' '```sh' "build/bin/ndsim_test_unit --gtest_filter='Known.*' | grep '  OK '" '```' > "$folder/good.md"
"$here/run_page.sh" "$folder/good.md" "$folder/source" "$folder/build" "$folder/run"
fails '```sh' "build/bin/ndsim_test_unit --gtest_filter='Unknown.*' | grep '  OK '" '```'
echo "the runner of pages runs what it should"
