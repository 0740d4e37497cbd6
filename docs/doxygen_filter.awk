#!/usr/bin/awk -f
# Plain // comments as Doxygen wants them: a whole-line one becomes ///, one behind a member ///<. The first block of a
# header describes the file. Indented text in a block stays as it is laid out.
NR == 1 && /^\/\/ / { print "/// @file"; print "///"; in_head = 1 }
in_head && !/^\/\// { in_head = 0 }
/^ *\/\// { sub(/\/\//, "///"); print; next }
/[;,{}]  +\/\/ / && !/"[^"]*\/\/[^"]*"/ { sub(/\/\/ /, "///< ") }
{ print }
