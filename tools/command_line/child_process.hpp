// These functions run another program to its end, and find its files.
#pragma once

#include <string>
#include <vector>

namespace sim::command_line {

// The files for standard output and standard error.
struct ChildFiles {
    std::string out;
    std::string err;
};

// Runs the program without standard input. Returns its exit code, or 128 + the signal that ended it, as in a shell.
// Throws MachineLimit if it cannot be started.
int run_child(const std::string& program, const std::vector<std::string>& arguments, const ChildFiles& files);

// The folder of the running executable.
std::string own_folder();

// A temporary folder, deleted with this object.
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
