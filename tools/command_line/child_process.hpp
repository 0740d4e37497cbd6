// This function runs another program to its end.
#pragma once

#include <string>
#include <vector>

namespace sim::command_line {

// What standard output and standard error are written to.
struct ChildFiles {
    std::string out;
    std::string err;
};

// Without standard input. Returns its exit code, 128 + the signal that ended it, as shells do. Throws MachineLimit
// where it cannot be started.
int run_child(const std::string& program, const std::vector<std::string>& arguments, const ChildFiles& files);

// The folder of the executable that runs now.
std::string own_folder();

// A folder for files that nobody needs once it is gone.
class PassingFolder {
public:
    PassingFolder();  // throws OutputError
    PassingFolder(const PassingFolder&) = delete;
    PassingFolder& operator=(const PassingFolder&) = delete;
    ~PassingFolder();

    std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace sim::command_line
