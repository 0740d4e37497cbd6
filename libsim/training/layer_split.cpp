#include "libsim/training/layer_split.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace sim::training {

namespace {

// More than any model (transformer.hpp) or machine has; it bounds what a short text can unroll to.
constexpr std::size_t most_symbols = 100'000;

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Unrolls repetitions: "E(t|)*2L" becomes "Et|t|L". Parentheses may be nested.
class Unroller {
public:
    explicit Unroller(std::string_view text) : text_(text) {}

    std::string all() {
        const std::string symbols = sequence();
        if (at_ < text_.size()) {
            refuse("\")\" without \"(\"");
        }
        return symbols;
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw ProgramError(fmt::format("{} at character {} of \"{}\"", what, at_ + 1, text_));
    }

    std::string sequence() {
        std::string symbols;
        while (at_ < text_.size() && text_[at_] != ')') {
            const std::string one = item();
            const std::size_t times = repetitions();
            if (symbols.size() + one.size() * times > most_symbols) {
                refuse(fmt::format("more than {} layers and stages", most_symbols));
            }
            for (std::size_t time = 0; time < times; ++time) {
                symbols += one;
            }
        }
        return symbols;
    }

    std::string item() {
        const char c = text_[at_];
        if (c == '(') {
            ++at_;
            std::string inner = sequence();
            if (at_ == text_.size()) {
                refuse("\"(\" without \")\"");
            }
            ++at_;
            return inner;
        }
        if (c == ',' || c == ' ') {
            ++at_;
            return "";
        }
        if (std::string_view("EtmL|").find(c) == std::string_view::npos) {
            refuse(fmt::format("\"{}\" is none of E, t, m, L, |, ( and )", c));
        }
        ++at_;
        return {c};
    }

    std::size_t repetitions() {
        if (at_ == text_.size() || text_[at_] != '*') {
            return 1;
        }
        ++at_;
        std::size_t times = 0;
        const std::size_t first = at_;
        for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
            times = std::min(most_symbols + 1, times * 10 + static_cast<std::size_t>(text_[at_] - '0'));
        }
        if (at_ == first) {
            refuse("a number is missing behind \"*\"");
        }
        return times;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

[[noreturn]] void refuse_symbols(std::string_view text, const char* what) {
    throw ProgramError(fmt::format("\"{}\": {}", text, what));
}

// Megatron-LM requires each end once, and layers of multi-token prediction together after all others.
void check_order(std::string_view text, std::string_view symbols) {
    std::string order;
    std::copy_if(symbols.begin(), symbols.end(), std::back_inserter(order), [](char c) { return c != '|'; });
    if (!order.starts_with('E') || std::count(order.begin(), order.end(), 'E') != 1) {
        refuse_symbols(text, "E stands once, in front of all layers");
    }
    if (!order.ends_with('L') || std::count(order.begin(), order.end(), 'L') != 1) {
        refuse_symbols(text, "L stands once, behind all layers");
    }
    if (symbols.substr(0, symbols.find('E')).find('|') != std::string_view::npos) {
        refuse_symbols(text, "E stands in the first stage");
    }
    if (symbols.substr(symbols.find('L')).find('|') != std::string_view::npos) {
        refuse_symbols(text, "L stands in the last stage");
    }
    const std::size_t first = symbols.find('m');
    if (first != std::string_view::npos) {
        const std::string_view behind = symbols.substr(first, symbols.rfind('m') - first);
        if (behind.find('|') != std::string_view::npos || order.find('t', order.find('m')) != std::string::npos) {
            refuse_symbols(text, "all m stand in one stage, behind every t");
        }
    }
}

LayerSplit of_symbols(std::string_view text) {
    const std::string symbols = Unroller(text).all();
    check_order(text, symbols);
    LayerSplit split{.layers = {0}};
    for (const char c : symbols) {
        if (c == '|') {
            split.layers.push_back(0);
        } else if (c == 't') {
            ++split.layers.back();
        } else if (c == 'm') {
            split.prediction_stage = static_cast<int>(split.layers.size()) - 1;
            ++split.prediction_layers;
        }
    }
    return split;
}

// "8", or "8*3".
void add_numbers(std::string_view text, std::string_view part, std::vector<int>& layers) {
    const auto number = [&](std::string_view digits) {
        std::size_t value = 0;
        for (const char c : digits) {
            value = std::min(most_symbols + 1, value * 10 + static_cast<std::size_t>(c - '0'));
        }
        const bool all_digits = std::all_of(digits.begin(), digits.end(), is_digit);
        if (digits.empty() || !all_digits || value > most_symbols) {
            throw ProgramError(
                fmt::format("\"{}\" of \"{}\" must be a number of layers up to {}, or such a number * how many stages "
                            "have it",
                            part, text, most_symbols));
        }
        return value;
    };
    const std::size_t star = part.find('*');
    const std::size_t times = star == std::string_view::npos ? 1 : number(part.substr(star + 1));
    if (layers.size() + times > most_symbols) {
        throw ProgramError(fmt::format("\"{}\" has more than {} stages", text, most_symbols));
    }
    layers.insert(layers.end(), times, static_cast<int>(number(part.substr(0, star))));
}

LayerSplit of_numbers(std::string_view text) {
    LayerSplit split{.prediction_layers = -1};
    std::string plain(text);
    plain.erase(std::remove(plain.begin(), plain.end(), ' '), plain.end());
    std::string_view rest = plain;
    while (true) {
        const std::size_t comma = rest.find(',');
        add_numbers(text, rest.substr(0, comma), split.layers);
        if (comma == std::string_view::npos) {
            return split;
        }
        rest.remove_prefix(comma + 1);
    }
}

}  // namespace

LayerSplit layer_split_of_text(std::string_view text) {
    const bool has_symbols = std::any_of(
        text.begin(), text.end(), [](char c) { return c == '|' || std::isalpha(static_cast<unsigned char>(c)) != 0; });
    return has_symbols ? of_symbols(text) : of_numbers(text);
}

std::string text_of(const LayerSplit& split) {
    std::string text;
    for (auto from = split.layers.begin(); from != split.layers.end();) {
        const auto to = std::find_if(from, split.layers.end(), [&](int layers) { return layers != *from; });
        const auto times = to - from;
        text += fmt::format("{}{}{}", text.empty() ? "" : ",", *from, times > 1 ? fmt::format("*{}", times) : "");
        from = to;
    }
    return text;
}

}  // namespace sim::training
