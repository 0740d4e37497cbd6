#include "libsim/training/check_layout.hpp"

#include "libsim/error.hpp"
#include "libsim/training/layout_rules.hpp"

namespace sim::training {

namespace {

const LayoutRule* first_broken(const LayoutCase& what) {
    for (const auto rules : {size_rules(), width_rules(), step_rules()}) {
        for (const LayoutRule& rule : rules) {
            if (rule.broken(what)) {
                return &rule;
            }
        }
    }
    return nullptr;
}

}  // namespace

const char* name_of(Misfit misfit) {
    switch (misfit) {
        case Misfit::count: return "count";
        case Misfit::gpus: return "gpus";
        case Misfit::heads: return "heads";
        case Misfit::width: return "width";
        case Misfit::layers: return "layers";
        case Misfit::sequence: return "sequence";
        case Misfit::experts: return "experts";
        case Misfit::batch: return "batch";
        case Misfit::schedule: return "schedule";
        case Misfit::combination: return "combination";
        case Misfit::precision: return "precision";
        case Misfit::network: return "network";
    }
    return "?";
}

bool is_possible(const Transformer& model, const Machine& machine, const Layout& layout, Misfit* why) {
    const LayoutRule* const broken = first_broken({model, machine, layout});
    if (broken != nullptr && why != nullptr) {
        *why = broken->misfit;
    }
    return broken == nullptr;
}

std::vector<LayoutProblem> problems_of(const Transformer& model, const Machine& machine, const Layout& layout,
                                       int gpus) {
    const LayoutCase what{model, machine, layout, gpus};
    for (const LayoutRule& rule : size_rules()) {
        if (rule.broken(what)) {
            return {{rule.misfit, rule.why(what)}};
        }
    }
    std::vector<LayoutProblem> problems;
    for (const auto rules : {width_rules(), step_rules()}) {
        for (const LayoutRule& rule : rules) {
            if (rule.broken(what)) {
                problems.push_back({rule.misfit, rule.why(what)});
            }
        }
    }
    return problems;
}

void check_layout(const Transformer& model, const Machine& machine, const Layout& layout, int gpus) {
    std::string lines;
    for (const LayoutProblem& problem : problems_of(model, machine, layout, gpus)) {
        lines += (lines.empty() ? "" : "\n") + problem.what;
    }
    if (!lines.empty()) {
        throw ProgramError(lines);
    }
}

}  // namespace sim::training
