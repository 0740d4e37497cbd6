// These colours mean the same wherever spans are drawn: those of Okabe and Ito (2008), which people tell apart whatever
// colours they see. The style of the page (tools/report_page/page.css) has them under the same names.
#pragma once

#include <array>
#include <string_view>

namespace sim::report {

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
                                                               {"compute", "#0072B2", "#3B97D3"},
                                                               {"send", "#E69F00", "#F0B22E"},
                                                               {"receive", "#56B4E9", "#7CC8F2"},
                                                               {"collective", "#009E73", "#2BBF94"},
                                                               {"checkpoint", "#CC79A7", "#E3A0C5"},
                                                               {"on-compute", "#ffffff", "#101418"},
                                                               {"path", "#b3146f", "#ff7ac6"}});

}  // namespace sim::report
