#include "libsim/report/gzip.hpp"

#include <zlib.h>

#include <array>
#include <new>
#include <streambuf>

namespace sim::report {

namespace {

class GzipOutput : public std::streambuf {
public:
    explicit GzipOutput(std::ostream& out) : out_(out) {
        constexpr int gzip_header = 16;
        if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip_header, 8, Z_DEFAULT_STRATEGY) !=
            Z_OK) {
            throw std::bad_alloc();
        }
        setp(plain_.data(), plain_.data() + plain_.size());
    }
    GzipOutput(const GzipOutput&) = delete;
    GzipOutput& operator=(const GzipOutput&) = delete;
    ~GzipOutput() override { deflateEnd(&state_); }

    void finish() { compress(Z_FINISH); }

protected:
    int_type overflow(int_type character) override {
        compress(Z_NO_FLUSH);
        if (!traits_type::eq_int_type(character, traits_type::eof())) {
            sputc(traits_type::to_char_type(character));
        }
        return traits_type::not_eof(character);
    }

private:
    void compress(int flush) {
        state_.next_in = reinterpret_cast<Bytef*>(pbase());
        state_.avail_in = static_cast<uInt>(pptr() - pbase());
        do {
            state_.next_out = reinterpret_cast<Bytef*>(packed_.data());
            state_.avail_out = static_cast<uInt>(packed_.size());
            deflate(&state_, flush);
            out_.write(packed_.data(), static_cast<std::streamsize>(packed_.size() - state_.avail_out));
        } while (state_.avail_out == 0);
        setp(plain_.data(), plain_.data() + plain_.size());
    }

    std::ostream& out_;
    z_stream state_{};
    std::array<char, 1U << 16U> plain_{};
    std::array<char, 1U << 16U> packed_{};
};

}  // namespace

void write_gzip(std::ostream& out, const std::function<void(std::ostream&)>& write) {
    GzipOutput buffer(out);
    std::ostream stream(&buffer);
    write(stream);
    buffer.finish();
}

}  // namespace sim::report
