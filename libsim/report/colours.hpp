// The colours of pictures are those of Okabe and Ito (2008), which people with any colour vision tell apart.
#pragma once

#include <array>
#include <string_view>

namespace sim::report {

namespace palette {
inline constexpr const char* blue = "#0072B2";
inline constexpr const char* sky_blue = "#56B4E9";
inline constexpr const char* green = "#009E73";
inline constexpr const char* orange = "#E69F00";
inline constexpr const char* vermilion = "#D55E00";
inline constexpr const char* purple = "#CC79A7";
inline constexpr const char* yellow = "#F0E442";
}  // namespace palette

// The colours of curves, points and parts, in their order.
inline constexpr std::array<const char*, 8> series_colours{palette::blue,   palette::vermilion, palette::green,
                                                           palette::purple, palette::sky_blue,  palette::orange,
                                                           "#000000",       "#7f7f7f"};

// The colours of spans, the same in all pictures. The style of the page (tools/report_page/page.css) has them under the
// same names.
struct Colour {
    std::string_view name;  // in a style: var(--compute)
    std::string_view light;
    std::string_view dark;
};

inline constexpr auto picture_colours = std::to_array<Colour>({{"paper", "#ffffff", "#15181d"},
                                                               {"ink", "#1c2024", "#e6e8eb"},
                                                               {"faint", "#5f6b76", "#98a1ac"},
                                                               {"line", "#dfe3e7", "#323944"},
                                                               {"waiting", "#9aa4ae", "#5a636f"},
                                                               {"idle", "#e4e8ec", "#39414c"},
                                                               {"compute", palette::blue, "#3B97D3"},
                                                               {"send", palette::orange, "#F0B22E"},
                                                               {"receive", palette::yellow, "#F4EA7A"},
                                                               {"collective", palette::green, "#2BBF94"},
                                                               {"checkpoint", palette::purple, "#E3A0C5"},
                                                               {"on-compute", "#ffffff", "#101418"},
                                                               {"path", "#b3146f", "#ff7ac6"},
                                                               // Passes of micro-batches (passes.hpp) and their text.
                                                               {"f0", "#7fbdf0", "#7fbdf0"},
                                                               {"f1", "#d2a892", "#d2a892"},
                                                               {"f2", "#b9a1e6", "#b9a1e6"},
                                                               {"f3", "#74cfc4", "#74cfc4"},
                                                               {"f4", "#a9b8c8", "#a9b8c8"},
                                                               {"f5", "#9fdcf0", "#9fdcf0"},
                                                               {"b0", "#1b6cb0", "#1b6cb0"},
                                                               {"b1", "#8a5a44", "#8a5a44"},
                                                               {"b2", "#6a4bab", "#6a4bab"},
                                                               {"b3", "#1b7f77", "#1b7f77"},
                                                               {"b4", "#52677d", "#52677d"},
                                                               {"b5", "#2a7894", "#2a7894"},
                                                               {"on-f", "#101418", "#101418"},
                                                               {"on-b", "#ffffff", "#ffffff"}});

}  // namespace sim::report
