// These functions make archives for grading systems: zip for Gradescope, tar for Autolab. Equal files give equal bytes.
#pragma once

#include <string>
#include <vector>

namespace sim::labs {

struct ArchivedFile {
    std::string name;  // "autograde/seeds.csv", less than 100 bytes
    std::string text;
    bool is_executable = false;
};

// Uncompressed. Source: PKWARE's APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16.
std::string zip_of(const std::vector<ArchivedFile>& files);
// Source: POSIX.1-2017, pax, "ustar Interchange Format".
std::string tar_of(const std::vector<ArchivedFile>& files);

}  // namespace sim::labs
