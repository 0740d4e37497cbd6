// Documents are what a sequence is packed from: tokens attend only within their own document, so that attention
// computes the blocks along the diagonal of the mask.
//
// Documents follow one another and are cut where a sequence ends (Megatron-LM's --reset-attention-mask, torchtitan's
// block-causal mask). Two tokens t apart are in one document with probability P(t) = E[max(0, L - t)] / E[L] for
// lengths L; so a sequence of s tokens has, on average, the integral of (s - t) P(t) pairs of query and key before it.
// For short documents that is E[L^2] / 2 E[L] pairs per token; without documents P is 1, and there are s^2 / 2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

struct Documents {
    double mean = 0;              // of lengths in tokens, drawn from an exponential distribution; 0: none
    std::vector<double> lengths;  // measured ones, instead

    bool exist() const { return mean > 0 || !lengths.empty(); }
    friend bool operator==(const Documents&, const Documents&) = default;
};

// "2048" (the mean of exponential lengths), or a list of measured lengths. Throws ProgramError for any other text.
Documents documents_of_text(std::string_view text);
// Empty if there are none.
std::string text_of(const Documents& documents);

// The average pairs of a query and a key at most `window` tokens before it, in one sequence. Requires: window <=
// sequence. Linear in the measured lengths.
double pairs_within(const Documents& documents, double sequence, double window);

// The most pairs that one of `ranks` ranks has in a step, as a multiple of the average, if each has `sequences`
// sequences of its own. An approximation for many documents: sums of independent documents, and the expected largest of
// as many normal variates (Blom 1958).
double pairs_of_slowest(const Documents& documents, double sequence, double sequences, int ranks);

}  // namespace sim::training
