// Formulas as written on a page: 2 (n-1) (L + S/n/B), floor(log2(n)) a. Adjacent terms are multiplied.
#pragma once

#include <cctype>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

namespace sim::test {

class Formula {
public:
    Formula(const std::string& text, const std::map<std::string, double>& names) : text_(text), names_(names) {}

    double value() {
        const double result = sum();
        if (peek() != '\0') {
            throw std::runtime_error("formula " + text_ + " goes wrong at " + text_.substr(at_));
        }
        return result;
    }

private:
    char peek() {
        while (at_ < text_.size() && text_[at_] == ' ') {
            ++at_;
        }
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    double sum() {
        double result = product();
        for (char next = peek(); next == '+' || next == '-'; next = peek()) {
            ++at_;
            const double term = product();
            result += next == '+' ? term : -term;
        }
        return result;
    }
    double product() {
        double result = factor();
        for (char next = peek(); next == '/' || next == '(' || std::isalnum(next) != 0; next = peek()) {
            if (next == '/') {
                ++at_;
                result /= factor();
            } else {
                result *= factor();
            }
        }
        return result;
    }
    double factor() {
        if (peek() == '(') {
            return in_parentheses();
        }
        std::string word;
        while (at_ < text_.size() && std::isalnum(text_[at_]) != 0) {
            word += text_[at_++];
        }
        if (word.empty()) {
            throw std::runtime_error("formula " + text_ + " ends too early");
        }
        if (std::isdigit(word.front()) != 0) {
            return std::stod(word);
        }
        if (word == "floor") {
            return std::floor(in_parentheses());
        }
        if (word == "ceil") {
            return std::ceil(in_parentheses());
        }
        return word == "log2" ? std::log2(in_parentheses()) : names_.at(word);
    }
    double in_parentheses() {
        peek();
        ++at_;
        const double result = sum();
        if (peek() != ')') {
            throw std::runtime_error("formula " + text_ + " has an open parenthesis");
        }
        ++at_;
        return result;
    }

    std::string text_;
    const std::map<std::string, double>& names_;
    std::size_t at_ = 0;
};

}  // namespace sim::test
