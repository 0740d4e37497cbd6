// Archives as systems of grading take them: zip for Gradescope, tar for Autolab. The same files give the same bytes.
#pragma once

#include <string>
#include <vector>

namespace sim::labs {

struct ArchivedFile {
    std::string name;  // "autograde/seeds.csv", of less than 100 bytes
    std::string text;
    bool is_executable = false;
};

// Uncompressed. Source: PKWARE's APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16.
std::string zip_of(const std::vector<ArchivedFile>& files);
// Source: POSIX.1-2017, pax, "ustar Interchange Format".
std::string tar_of(const std::vector<ArchivedFile>& files);

}  // namespace sim::labs
