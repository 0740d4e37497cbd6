// Repeats a text n times.
#pragma once

#include <string>

inline std::string repeated(int n, const std::string& text) {
    std::string all;
    for (int i = 0; i < n; ++i) {
        all += text;
    }
    return all;
}
