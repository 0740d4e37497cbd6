// Traces as text, encoded by protoc, so that none of our code writes what our reader reads.
//
// Each line is one message in protobuf's text format: the first a GlobalMetadata, all others Nodes.
#pragma once

#include "tests/scenarios/temporary_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace sim::test {

inline std::string whole(const std::string& name, std::int64_t value) {
    return fmt::format(" attr {{ name: \"{}\" int64_val: {} }}", name, value);
}
inline std::string string(const std::string& name, const std::string& value) {
    return fmt::format(" attr {{ name: \"{}\" string_val: \"{}\" }}", name, value);
}

inline std::string compute(int id, int micros, const std::string& more = "") {
    return fmt::format("id: {} name: \"compute {}\" type: COMP_NODE duration_micros: {} {}\n", id, id, micros, more);
}
inline std::string send(int id, int to, std::int64_t bytes, const std::string& more = "", int tag = 0) {
    return fmt::format("id: {} name: \"send {}\" type: COMM_SEND_NODE", id, id) + whole("comm_dst", to) +
           whole("comm_size", bytes) + whole("comm_tag", tag) + " " + more + "\n";
}
inline std::string receive(int id, int from, std::int64_t bytes, const std::string& more = "", int tag = 0) {
    return fmt::format("id: {} name: \"receive {}\" type: COMM_RECV_NODE", id, id) + whole("comm_src", from) +
           whole("comm_size", bytes) + whole("comm_tag", tag) + " " + more + "\n";
}
inline constexpr int all_reduce_type = 0;
inline constexpr int all_gather_type = 2;
inline std::string collective(int id, int type, std::int64_t bytes, const std::string& more = "") {
    return fmt::format("id: {} name: \"collective {}\" type: COMM_COLL_NODE", id, id) + whole("comm_type", type) +
           whole("comm_size", bytes) + " " + more + "\n";
}
inline std::string after(int id) {
    return fmt::format(" data_deps: {}", id);
}

inline const std::string version_line = "version: \"0.0.4\"\n";

class TextTraces {
public:
    // Encodes the lines as the bytes of a trace file.
    std::string encoded(const std::string& lines) const {
        std::istringstream in(lines);
        std::string bytes;
        const char* type = "GlobalMetadata";
        for (std::string line; std::getline(in, line); type = "Node") {
            const std::string text = folder_.with("message.txt", line);
            const std::string out = folder_.file("message.bin");
            const std::string command = fmt::format(
                "protoc --proto_path='{}/libsim/interop/chakra' --encode=ChakraProtoMsg.{} execution_trace.proto "
                "< '{}' > '{}'",
                NDSIM_SOURCE_DIR, type, text, out);
            EXPECT_EQ(std::system(command.c_str()), 0) << line;
            const std::string message = content_of(out);
            for (std::size_t length = message.size();; length >>= 7U) {
                bytes += static_cast<char>((length & 0x7fU) | (length > 0x7fU ? 0x80U : 0U));
                if (length <= 0x7fU) {
                    break;
                }
            }
            bytes += message;
        }
        return bytes;
    }
    // Writes a file as given, or the file of one rank from its lines without the version.
    void with(const std::string& name, const std::string& bytes) const { folder_.with(name, bytes); }
    void with(int rank, const std::string& lines) const {
        with(fmt::format("t.{}.et", rank), encoded(version_line + lines));
    }
    std::string prefix() const { return folder_.file("t"); }
    std::string file(const std::string& name) const { return folder_.file(name); }

private:
    TemporaryFolder folder_;
};

}  // namespace sim::test
