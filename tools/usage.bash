#!/usr/bin/env bash
# usage.bash: sourced by the scripts of tools/ and .ci/ with their own arguments, from the root of the repository.
# --help prints the comment at the top of the script; `refuse` exits on an unknown argument.
script_name=$(basename "$0")
for folder in tools .ci; do
    [[ -e $folder/$script_name ]] && script_path=$folder/$script_name
done

for argument in "$@"; do
    if [[ $argument == --help || $argument == -h ]]; then
        sed -n '2,${/^#/!q; s/^# \{0,1\}//p}' "$script_path"
        exit 0
    fi
done

# refuse ARGUMENT WANTED: prints one line on standard error, and exits with the code for a wrong command line.
refuse() {
    echo "$script_path: '$1' is not $2; $script_path --help says what is" >&2
    exit 2
}
# For scripts without arguments.
refuse_all() {
    (($# == 0)) || refuse "$1" "an argument of it"
}
refuse_unless_number() {
    [[ $1 =~ ^[1-9][0-9]*$ ]] || refuse "$1" "a whole number above 0"
}
