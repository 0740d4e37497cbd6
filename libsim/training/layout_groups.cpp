#include "libsim/training/layout_groups.hpp"

#include "libsim/check.hpp"

#include <algorithm>

namespace sim::training::layout_group {

std::vector<LayoutField> rows_of(std::initializer_list<Part> parts) {
    std::vector<LayoutField> fields;
    for (const Part& part : parts) {
        part.add(fields);
        for (LayoutField& field : fields) {
            field.group = *field.group == '\0' ? part.group : field.group;
        }
    }
    return fields;
}

void move_to(const char* group, std::initializer_list<std::string_view> options, std::vector<LayoutField>& fields) {
    for (const std::string_view option : options) {
        const auto at = std::find_if(fields.begin(), fields.end(),
                                     [&](const LayoutField& field) { return field.option == option; });
        check(at != fields.end(), "no switch of a layout is called {}", option);
        at->group = group;
    }
}

}  // namespace sim::training::layout_group
