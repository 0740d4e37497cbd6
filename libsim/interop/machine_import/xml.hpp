// A small, strict reader of XML: elements with attributes. It skips comments, everything before the first element, and
// text between elements; it refuses document types and processing instructions after the root.
//
// Nothing grows faster than the text: the only entities are the five of XML and numbers, and there is no recursion.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sim::machine_import {

struct XmlElement {
    std::string name;
    int line = 0;
    int parent = -1;  // index of the parent; -1: none, for the root
    std::vector<std::pair<std::string, std::string>> attributes;

    // Returns nullptr if there is none.
    const std::string* attribute(const char* key) const;
};

// Elements in document order: a parent precedes its children, and the first is the root. Throws UsageError with file,
// line and reason: not XML, or nested more than 64 deep.
std::vector<XmlElement> read_xml(const std::string& text, const std::string& file);

}  // namespace sim::machine_import
