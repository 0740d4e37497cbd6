#include "libsim/training/expert_load.hpp"

#include "libsim/error.hpp"
#include "libsim/random.hpp"
#include "libsim/training/number_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sim::training {

namespace {

constexpr std::string_view law = "zipf:";
constexpr int placements = 64;
constexpr double largest_exponent = 64;

std::vector<double> visits_of_law(double exponent, int experts) {
    std::vector<double> visits;
    for (int i = 1; i <= experts; ++i) {
        visits.push_back(std::pow(i, -exponent));
    }
    return visits;
}

// As multiples of their mean.
std::vector<double> relative(std::vector<double> visits) {
    const double mean = std::accumulate(visits.begin(), visits.end(), 0.0) / static_cast<double>(visits.size());
    for (double& each : visits) {
        each /= mean;
    }
    return visits;
}

// The fullest of `experts` experts has 1 times the mean with exponent 0, and more with larger ones.
double exponent_for(double fullest, int experts) {
    double low = 0;
    double high = largest_exponent;
    for (int step = 0; step < 100; ++step) {
        const double middle = (low + high) / 2;
        (relative(visits_of_law(middle, experts)).front() < fullest ? low : high) = middle;
    }
    return high;
}

double fullest_rank(const std::vector<double>& visits, int ranks) {
    const std::ptrdiff_t each = std::ssize(visits) / ranks;
    double most = 0;
    for (auto at = visits.begin(); at != visits.end(); at += each) {
        most = std::max(most, std::accumulate(at, at + each, 0.0) / static_cast<double>(each));
    }
    return most;
}

double fullest_rank_drawn(std::vector<double> visits, int ranks) {
    double sum = 0;
    for (int number = 0; number < placements; ++number) {
        Random random(1, static_cast<std::uint64_t>(number));
        for (std::size_t last = visits.size() - 1; last > 0; --last) {
            std::swap(visits[last],
                      visits[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(last) + 1))]);
        }
        sum += fullest_rank(visits, ranks);
    }
    return sum / placements;
}

}  // namespace

ExpertLoad expert_load_of_text(std::string_view text) {
    ExpertLoad load;
    const bool is_law = text.starts_with(law);
    const std::vector<double> numbers = numbers_of_text(is_law ? text.substr(law.size()) : text);
    if (numbers.empty() || (is_law && numbers.size() > 1)) {
        throw ProgramError(
            fmt::format("\"{}\" is not a multiple of the mean, zipf:EXPONENT, or a list of counts", text));
    }
    if (numbers.size() > 1) {
        load.counts = numbers;
    } else if (is_law) {
        load.exponent = numbers.front();
    } else {
        load.fullest = numbers.front();
    }
    return load;
}

std::string text_of(const ExpertLoad& load) {
    return !load.counts.empty() ? text_of_numbers(load.counts)
           : load.exponent > 0  ? fmt::format("{}{}", law, load.exponent)
           : load.fullest != 1  ? fmt::format("{}", load.fullest)
                                : "";
}

std::vector<double> visits_of(const ExpertLoad& load, int experts) {
    if (!load.counts.empty()) {
        return relative(load.counts);
    }
    return relative(visits_of_law(load.exponent > 0 ? load.exponent : exponent_for(load.fullest, experts), experts));
}

RoutedRows routed_rows(const ExpertLoad& load, double capacity, int experts, int ranks) {
    if (load.is_even()) {
        const double each = capacity > 0 ? std::min(1.0, capacity) : 1;
        return {.fullest = each, .kept = each};
    }
    std::vector<double> visits = visits_of(load, experts);
    for (double& each : visits) {
        each = capacity > 0 ? std::min(each, capacity) : each;
    }
    const double kept = capacity > 0 ? std::accumulate(visits.begin(), visits.end(), 0.0) / experts : 1;
    const double fullest = ranks == 1            ? kept
                           : load.counts.empty() ? fullest_rank_drawn(visits, ranks)
                                                 : fullest_rank(visits, ranks);
    return {.fullest = fullest, .kept = kept};
}

}  // namespace sim::training
