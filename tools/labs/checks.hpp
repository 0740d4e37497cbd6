// These checks grade labs: each compares what a run left with what it should have left, and gives the reason.
#pragma once

#include "libsim/random.hpp"
#include "tools/labs/lab.hpp"

#include <functional>
#include <map>

namespace sim::labs {

// The run ends at exactly this time. `why`: "2 (N-1) (L + S/(N B)) = 2 x 3 x (…)".
Check time_is(const Record& found, Duration expected, std::string why);
// The rank ends at exactly this time.
Check rank_ends_at(const Record& found, int rank, Duration expected, std::string why);
// Every rank sends `expected(rank)` bytes, or units.
Check bytes_sent_are(const Record& found, const std::function<std::int64_t(int rank)>& expected, std::string why);
Check units_sent_are(const Record& found, const std::function<Units(int rank)>& expected, std::string why);
// Every rank's peak memory use.
Check peak_bytes_are(const Record& found, const std::function<std::int64_t(int rank)>& expected, std::string why);
// The values that ranks passed to report("name", …), to a relative error of 1e-12. Ranks without an entry need not
// report.
Check reports_are(const Record& found, const std::string& name, const std::map<int, std::vector<double>>& expected,
                  std::string why);
// Every rank's computations, messages and collectives come in the order of the reference: kind, peer and amount.
Check same_order(const Record& found, const Record& reference, std::string why);
// The same for computations only, by their amount, whatever is sent and received between them.
Check same_work(const Record& found, const Record& reference, std::string why);
// The computations of every rank, by their labels, in this order.
Check labels_are(const Record& found, const std::function<std::vector<std::string>(int rank)>& expected,
                 std::string why);

// Whether a span's label is "all-reduce" or another collective's own name.
bool is_name_of_collective(const std::string& label);
// Whether a rank calls a collective of the library other than a barrier.
bool calls_collectives(const Record& found);

// All ranks together send `expected` bytes, however they are distributed.
Check total_bytes_are(const Record& found, std::int64_t expected, std::string why);
// No rank sends to more than `most` other ranks.
Check receivers_are_at_most(const Record& found, int most, std::string why);

// True if the relative difference is at most `tolerance`. Two NaNs are the same.
bool same_number(double a, double b, double tolerance = 1e-12);

// Numbers for a case, drawn from the seed of a lab: the same on every machine.
class Draw {
public:
    Draw(std::uint64_t seed, int lab) : random_(seed, static_cast<std::uint64_t>(lab)) {}
    // Returns one of `values`.
    double of(std::initializer_list<double> values);

private:
    Random random_;
};

// "16.4 us", "1.5 MB", "37.5 units": amounts with their unit, to four digits.
std::string text_of(Duration time);
std::string text_of_bytes(std::int64_t bytes);
std::string text_of_units(Units units);
std::string text_of_amount(const Span& span);

}  // namespace sim::labs
