// Properties of every layer's operators: their weights, products and stored bytes add up to the closed forms of
// docs/memory.md and the papers cited there, which know nothing of operators.
#include "libsim/training/activation_sizes.hpp"
#include "libsim/training/memory/layer_bytes.hpp"
#include "libsim/training/parameters.hpp"
#include "tests/support/property.hpp"

#include <algorithm>

namespace {

using namespace sim::training;

bool coin() {
    return *rc::gen::inRange(0, 2) == 1;
}

// Dimensions that ranks divide are powers of two, so that every sum is exact.
Transformer any_model() {
    const int kv_heads = 1 << *rc::gen::inRange(0, 5);
    Transformer model{.name = "any", .layers = 2};
    model.kv_heads = kv_heads;
    model.heads = kv_heads * (1 << *rc::gen::inRange(0, 4)) * 4;
    model.head_dim = 2 * *rc::gen::inRange(1, 65);
    model.hidden = 64 * *rc::gen::inRange(1, 100);
    model.ffn = 64 * *rc::gen::inRange(1, 300);
    model.vocabulary = 1000;
    model.sequence = 64 * *rc::gen::inRange(1, 65);
    model.gated = coin();
    model.biases = coin();
    model.qkv_biases = coin();
    model.norm_biases = coin();
    model.qk_norms = coin();
    model.attention_sinks = coin();
    model.rotary = coin();
    return model;
}

Transformer with_latent(Transformer model) {
    model.kv_heads = model.heads;
    model.biases = model.qkv_biases = false;
    model.latent = LatentAttention{.query_rank = 64 * *rc::gen::inRange(0, 10),
                                   .key_value_rank = 64 * *rc::gen::inRange(1, 10),
                                   .plain_dim = *rc::gen::inRange(1, 129),
                                   .rotary_dim = 2 * *rc::gen::inRange(0, 33),
                                   .value_dim = *rc::gen::inRange(1, 129)};
    model.head_dim = model.latent->plain_dim + model.latent->rotary_dim;
    return model;
}

Transformer with_experts(Transformer model) {
    const int count = 1 << *rc::gen::inRange(1, 8);
    model.experts = {.count = count,
                     .top_k = *rc::gen::inRange(1, std::min(count, 8) + 1),
                     .ffn = 64 * *rc::gen::inRange(1, 40),
                     .shared = *rc::gen::inRange(0, 3),
                     .router_bias = coin()};
    return model;
}

Layout any_layout(const Transformer& model) {
    Layout layout;
    layout.parallelism.tp = 1 << *rc::gen::inRange(0, 3);
    layout.parallelism.cp = 1 << *rc::gen::inRange(0, 3);
    layout.parallelism.sequence_parallel = coin();
    layout.batch.micro = *rc::gen::inRange(1, 5);
    layout.framework.flash_attention = layout.parallelism.cp > 1 || coin();
    layout.framework.fusion = *rc::gen::element(Fusion::eager, Fusion::fused, Fusion::compiled);
    if (model.experts.count > 0) {
        layout.parallelism.ep = 1 << *rc::gen::inRange(0, 2);
        layout.parallelism.expert_tp = 1 << *rc::gen::inRange(0, 3);
    }
    return layout;
}

struct Case {
    Transformer model = any_model();
    Layout layout;

    Case() {
        model = coin() ? with_latent(model) : model;
        model = coin() ? with_experts(model) : model;
        layout = any_layout(model);
    }

    double t() const { return layout.parallelism.tp; }
    double sigma() const { return layout.parallelism.sequence_parallel ? t() : 1; }
    double tokens() const { return double{1} * layout.batch.micro * model.sequence / layout.parallelism.cp; }
    double gate() const { return model.gated ? 2 : 1; }
    bool has_experts() const { return model.experts.count > 0; }
    double shared() const { return double{1} * model.experts.shared * model.experts.ffn; }
    // Values per token on one rank: queries, keys and values, the result of attention, and the small vectors.
    double queries() const { return model.heads / t() * model.head_dim; }
    double keys_and_values() const {
        if (model.latent) {
            return queries() + result();
        }
        return 2 * std::max(1.0, model.kv_heads / t()) * model.head_dim;
    }
    double result() const { return model.heads / t() * (model.latent ? model.latent->value_dim : model.head_dim); }
    double ranks() const { return model.latent ? model.latent->query_rank + model.latent->key_value_rank : 0; }
    double rotary() const { return model.latent ? model.latent->rotary_dim : 0; }
};

TEST(LayerSums, OfWeightsAreTheMatricesBiasesAndNormsOfThePapers) {
    sim::test::for_all(2'000, [] {
        const Case c;
        const Transformer& m = c.model;
        const auto h = std::int64_t{m.hidden};
        const std::int64_t q = std::int64_t{m.heads} * m.head_dim;
        const std::int64_t kv = 2 * std::int64_t{m.kv_heads} * m.head_dim;
        const int matrices = m.gated ? 3 : 2;
        const auto ffn = [&](std::int64_t f) {
            return f == 0 ? 0 : matrices * h * f + (m.biases ? (matrices - 1) * f + h : 0);
        };
        std::int64_t attention = m.attention_sinks ? m.heads : 0;
        if (m.latent) {
            const std::int64_t r = m.latent->query_rank;
            const std::int64_t v = std::int64_t{m.heads} * m.latent->value_dim;
            const std::int64_t up = std::int64_t{m.heads} * (m.latent->plain_dim + m.latent->value_dim);
            attention += (r > 0 ? r * (h + q) : h * q) + h * (m.latent->key_value_rank + m.latent->rotary_dim) +
                         m.latent->key_value_rank * up + v * h;
        } else {
            attention += h * (2 * q + kv) + (m.biases || m.qkv_biases ? q + kv : 0) + (m.biases ? h : 0);
        }
        const LayerParameters layer = layer_parameters(layer_operators(m, c.layout, 0));
        RC_ASSERT(layer.attention == attention);
        RC_ASSERT(layer.norms == 2 * (m.norm_biases ? 2 : 1) * h + (m.qk_norms ? 2 * m.head_dim : 0) +
                                     static_cast<std::int64_t>(c.ranks()));
        RC_ASSERT(layer.dense_ffn == (c.has_experts() ? 0 : ffn(m.ffn)));
        RC_ASSERT(layer.router == m.experts.count * (h + (m.experts.router_bias ? 1 : 0)));
        RC_ASSERT(layer.routed_experts == m.experts.count * ffn(m.experts.ffn));
        RC_ASSERT(layer.shared_experts == ffn(static_cast<std::int64_t>(c.shared())));
    });
}

// Two FLOPs for each number of a matrix and each token on a rank; the products have the shapes of the weights.
TEST(LayerSums, OfProductsAreTwoFlopsForEachTokenAndWeightOfARank) {
    sim::test::for_all(2'000, [] {
        const Case c;
        const Transformer& m = c.model;
        const double h = m.hidden;
        const double f = c.has_experts() ? c.shared() : m.ffn;
        double attention = h * (c.queries() + c.keys_and_values() + c.result());
        if (m.latent) {
            const double heads = m.heads / c.t();
            const double queries = m.latent->query_rank > 0 ? m.latent->query_rank : h;
            attention = queries * c.queries() + h * c.result() + h * (c.ranks() + c.rotary()) / c.sigma() +
                        m.latent->key_value_rank * heads * (m.latent->plain_dim + m.latent->value_dim);
        }
        const double visits = m.experts.top_k * (c.gate() + 1) * h * m.experts.ffn;
        const double weights = attention + (c.gate() + 1) * h * f / c.t() + (h * m.experts.count + visits) / c.t();
        double flops = 0;
        for (const Operator& op : layer_operators(m, c.layout, 0)) {
            const bool multiplies = op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm;
            flops += multiplies ? op.forward_flops : 0;
        }
        RC_ASSERT(flops == 2 * c.tokens() * weights);
    });
}

// In bf16. Korthikanti et al. 2022, equations 1 to 4, for any width: docs/memory.md.
double scores_of(const Case& c) {
    return c.model.heads / c.t() * c.tokens() * c.model.sequence * (c.model.biases ? 5 : 2);
}
double ffn_of(const Case& c) {
    if (!c.has_experts()) {
        return 2 * (c.gate() + 1) * c.model.ffn / c.t();
    }
    const Experts& experts = c.model.experts;
    const double etp = c.layout.parallelism.expert_tp;
    const double visit = 2 * (c.model.hidden + (c.gate() + 1) * experts.ffn / etp);
    return experts.top_k * etp / c.t() * visit + 2 * (c.gate() + 1) * c.shared() / c.t() + 8 * experts.count / c.t();
}
double kept_in_full(const Case& c) {
    const double norms = (c.model.biases ? 10 : 8) * c.model.hidden / c.sigma();
    const double small = (2 * c.ranks() + c.rotary()) / c.sigma();
    const double attention = 2 * (c.queries() + c.keys_and_values() + c.result() + small);
    const double scores = c.layout.framework.flash_attention ? 4 * c.model.heads / c.t() * c.tokens() : scores_of(c);
    return c.tokens() * (norms + attention + ffn_of(c)) + scores;
}

TEST(LayerSums, OfKeptBytesAreThoseOfTheLiteratureAndWithoutAModuleLessByIt) {
    sim::test::for_all(2'000, [] {
        Case c;
        const double all = kept_in_full(c);
        const auto kept = [&](Recompute recompute, LayerModules modules = LayerModule::core_attention) {
            c.layout.framework.recompute = recompute;
            c.layout.framework.recompute_modules = modules;
            const LayerBytes bytes = layer_bytes(c.model, c.layout, 0);
            RC_ASSERT(bytes.kept + bytes.recomputed == all);
            return bytes.kept;
        };
        RC_ASSERT(kept(Recompute::none) == all);
        RC_ASSERT(kept(Recompute::full) == 2 * c.tokens() * c.model.hidden / c.sigma());
        const bool flash = c.layout.framework.flash_attention;
        RC_ASSERT(kept(Recompute::selective) == all - (flash ? 0 : scores_of(c)));
        RC_ASSERT(kept(Recompute::selective, LayerModule::norms) == all - 4 * c.tokens() * c.model.hidden / c.sigma());
        RC_ASSERT(kept(Recompute::selective, c.has_experts() ? LayerModule::experts : LayerModule::dense_ffn) ==
                  all - c.tokens() * ffn_of(c));
        RC_ASSERT(kept(Recompute::selective, LayerModule::latent_up) ==
                  all - (c.model.latent ? 2 * c.tokens() * (c.queries() + c.keys_and_values()) : 0));
    });
}

// Qi et al. 2024: inputs and output gradients of all matrix products, 32 s b h for a GPT layer, for any width.
TEST(LayerSums, BetweenTheHalvesOfABackwardPassAreInputsAndOutputGradientsOfAllProducts) {
    sim::test::for_all(2'000, [] {
        const Case c;
        const double h = c.model.hidden / c.sigma();
        const double small = 2 * (2 * c.ranks() + c.rotary()) / c.sigma();
        const double attention = 2 * h + c.queries() + c.keys_and_values() + c.result() + small;
        const Experts& experts = c.model.experts;
        const double etp = c.layout.parallelism.expert_tp;
        const double visits = experts.top_k * etp / c.t() * (2 * c.model.hidden + (c.gate() + 1) * experts.ffn / etp);
        const double f = c.has_experts() ? c.shared() : c.model.ffn;
        const double ffn = 2 * h + (c.gate() + 1) * f / c.t() + (c.has_experts() ? visits : 0);
        RC_ASSERT(layer_bytes(c.model, c.layout, 0).weight_inputs == 2 * c.tokens() * (attention + ffn));
    });
}

}  // namespace
