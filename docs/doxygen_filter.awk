#!/usr/bin/awk -f
# Plain // comments as Doxygen wants them: a whole-line one becomes ///, one behind a member ///<. The first block of a
# header describes the file. Indented text in a block stays as it is laid out: it becomes a block of its own.
NR == 1 && /^\/\/ / { print "/// @file"; print "///"; in_head = 1 }
in_head && !/^\/\// { in_head = 0 }
{ is_laid_out = /^ *\/\/   +[^ ]/ }
is_laid_out != laid_out { print "///"; laid_out = is_laid_out }
is_laid_out { sub(/\/\//, "///   "); print; next }
# A line that begins with "2022. " is no list.
/^ *\/\/ +[0-9]+\. / { sub(/\. /, "\\. ") }
# page.md#heading is no link to a member.
/^ *\/\// { sub(/\.md#/, ".md\\#") }
/^ *\/\// { sub(/\/\//, "///"); print; next }
/[;,{}]  +\/\/ / && !/"[^"]*\/\/[^"]*"/ { sub(/\/\/ /, "///< ") }
{ print }
