// A small, strict reader of XML: elements with attributes. Comments and what stands before the first element are passed
// over, text between elements too; document types and processing after the root are refused.
//
// Nothing grows faster than the text: there are no entities but the five of XML and numbers, and no recursion.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sim::machine_import {

struct XmlElement {
    std::string name;
    int line = 0;
    int parent = -1;  // its number in the list; -1: the root
    std::vector<std::pair<std::string, std::string>> attributes;

    // nullptr: it has none.
    const std::string* attribute(const char* key) const;
};

// In the order of their beginnings: a parent before its children. The first is the root.
// Throws UsageError with file, line and reason: no XML, or nested more than 64 deep.
std::vector<XmlElement> read_xml(const std::string& text, const std::string& file);

}  // namespace sim::machine_import
