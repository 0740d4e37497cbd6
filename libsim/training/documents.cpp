#include "libsim/training/documents.hpp"

#include "libsim/error.hpp"
#include "libsim/training/number_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace sim::training {

namespace {

// The integral of (s - t) (L - t) over t from 0 to the window, or to L if that is shorter.
double pairs_of_length(double length, double sequence, double window) {
    const double end = std::min(length, window);
    return sequence * length * end - (sequence + length) * end * end / 2 + end * end * end / 3;
}

// E[L] to E[L^4] of lengths cut at `most`.
std::array<double, 4> moments_of(const Documents& documents, double most) {
    std::array<double, 4> moments{};
    if (documents.lengths.empty()) {
        const double mean = documents.mean;
        const double beyond = std::exp(-most / mean);
        double integral = mean * (1 - beyond);  // of x^k exp(-x / mean), from 0 to `most`
        for (std::size_t k = 0; k < moments.size(); ++k) {
            const auto power = static_cast<double>(k + 1);
            moments[k] = power * integral;
            integral = power * mean * integral - mean * std::pow(most, power) * beyond;
        }
        return moments;
    }
    for (const double length : documents.lengths) {
        double power = 1;
        for (double& moment : moments) {
            power *= std::min(length, most);
            moment += power / static_cast<double>(documents.lengths.size());
        }
    }
    return moments;
}

// The normal variate that a share `below` of all are below.
double normal_quantile(double below) {
    double low = -10;
    double high = 10;
    for (int step = 0; step < 60; ++step) {
        const double middle = (low + high) / 2;
        (std::erfc(-middle / std::sqrt(2.0)) / 2 < below ? low : high) = middle;
    }
    return low;
}

}  // namespace

Documents documents_of_text(std::string_view text) {
    const std::vector<double> numbers = numbers_of_text(text);
    if (numbers.empty() || *std::min_element(numbers.begin(), numbers.end()) < 1) {
        throw ProgramError(fmt::format("\"{}\" is not a mean length or a list of lengths of at least 1 token", text));
    }
    return numbers.size() == 1 ? Documents{.mean = numbers.front(), .lengths = {}}
                               : Documents{.mean = 0, .lengths = numbers};
}

std::string text_of(const Documents& documents) {
    return documents.mean > 0 ? fmt::format("{}", documents.mean) : text_of_numbers(documents.lengths);
}

double pairs_within(const Documents& documents, double sequence, double window) {
    if (!documents.exist()) {
        return sequence * window - window * window / 2;
    }
    if (documents.lengths.empty()) {
        const double mean = documents.mean;
        const double within = window / mean;
        const double ended = -std::expm1(-within);
        // The difference of two nearly equal numbers if documents are long.
        const double rest = within < 1e-4 ? within * within / 2 - within * within * within / 6 : within - ended;
        return mean * (sequence - window) * ended + mean * mean * rest;
    }
    double pairs = 0;
    for (const double length : documents.lengths) {
        pairs += pairs_of_length(length, sequence, window);
    }
    return pairs / std::accumulate(documents.lengths.begin(), documents.lengths.end(), 0.0);
}

// Renewal rewards: a document of length L has L^2 / 2 pairs, and r L of them on average; the sum over many tokens
// varies by E[(L^2 / 2 - r L)^2] / E[L] per token.
double pairs_of_slowest(const Documents& documents, double sequence, double sequences, int ranks) {
    if (!documents.exist() || ranks < 2) {
        return 1;
    }
    const auto [first, second, third, fourth] = moments_of(documents, sequence);
    const double rate = second / 2 / first;
    const double variance = std::max(0.0, fourth / 4 - rate * third + rate * rate * second) / first;
    const double deviation = std::sqrt(variance / (sequence * sequences)) / rate;
    return 1 + deviation * normal_quantile((ranks - 0.375) / (ranks + 0.25));
}

}  // namespace sim::training
