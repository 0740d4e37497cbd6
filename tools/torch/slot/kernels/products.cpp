// Matrix products whose result type differs from their operands': wide results of narrow operands, scaled 8-bit floats,
// plain and grouped, and 4-bit weights.
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>
#include <ATen/native/Resize.h>

#include <vector>

namespace sim::slot {

namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;
using MaybeType = std::optional<c10::ScalarType>;

Tensor& put(const Tensor& result, Tensor& out) {
    at::native::resize_output(out, result.sizes());
    return out.copy_(result);
}

Tensor wide_mm(const Tensor& a, const Tensor& b, c10::ScalarType type) {
    return at::mm(a.to(type), b.to(type));
}

Tensor& wide_mm_out(const Tensor& a, const Tensor& b, c10::ScalarType type, Tensor& out) {
    return put(wide_mm(a, b, type), out);
}

Tensor wide_bmm(const Tensor& a, const Tensor& b, c10::ScalarType type) {
    return at::bmm(a.to(type), b.to(type));
}

Tensor& wide_bmm_out(const Tensor& a, const Tensor& b, c10::ScalarType type, Tensor& out) {
    return put(wide_bmm(a, b, type), out);
}

Tensor wide_addmm(const Tensor& self, const Tensor& a, const Tensor& b, c10::ScalarType type, const at::Scalar& beta,
                  const at::Scalar& alpha) {
    return at::addmm(self.to(type), a.to(type), b.to(type), beta, alpha);
}

Tensor& wide_addmm_out(const Tensor& self, const Tensor& a, const Tensor& b, c10::ScalarType type,
                       const at::Scalar& beta, const at::Scalar& alpha, Tensor& out) {
    return put(wide_addmm(self, a, b, type, beta, alpha), out);
}

Tensor wide_baddbmm(const Tensor& self, const Tensor& a, const Tensor& b, c10::ScalarType type, const at::Scalar& beta,
                    const at::Scalar& alpha) {
    return at::baddbmm(self.to(type), a.to(type), b.to(type), beta, alpha);
}

Tensor& wide_baddbmm_out(const Tensor& self, const Tensor& a, const Tensor& b, c10::ScalarType type,
                         const at::Scalar& beta, const at::Scalar& alpha, Tensor& out) {
    return put(wide_baddbmm(self, a, b, type, beta, alpha), out);
}

// The scale is for the whole tensor, for each row or column, or for each block.
Tensor unscaled(const Tensor& tensor, const Tensor& scale) {
    Tensor wide = scale.to(at::kFloat);
    for (std::int64_t i = 0; wide.dim() == tensor.dim() && i < tensor.dim(); ++i) {
        const std::int64_t blocks = wide.size(i);
        if (blocks != 1 && blocks != tensor.size(i)) {
            const std::int64_t block = (tensor.size(i) + blocks - 1) / blocks;
            wide = wide.repeat_interleave(block, i).narrow(i, 0, tensor.size(i));
        }
    }
    return tensor.to(at::kFloat) * wide;
}

Tensor finish(Tensor product, const MaybeTensor& bias, MaybeType type, c10::ScalarType otherwise) {
    if (bias && bias->defined()) {
        product = product + *bias;
    }
    return product.to(type.value_or(otherwise));
}

Tensor scaled_mm(const Tensor& a, const Tensor& b, const Tensor& scale_a, const Tensor& scale_b,
                 const MaybeTensor& bias, const MaybeTensor& /*scale_of_result*/, MaybeType type, bool /*fast*/) {
    return finish(at::mm(unscaled(a, scale_a), unscaled(b, scale_b)), bias, type, a.scalar_type());
}

Tensor& scaled_mm_out(const Tensor& a, const Tensor& b, const Tensor& scale_a, const Tensor& scale_b,
                      const MaybeTensor& bias, const MaybeTensor& scale_of_result, MaybeType type, bool fast,
                      Tensor& out) {
    return put(
        scaled_mm(a, b, scale_a, scale_b, bias, scale_of_result, type ? type : MaybeType(out.scalar_type()), fast),
        out);
}

// The values of torch.nn.functional.ScalingType for scales of the whole tensor, of rows, and of blocks of 128 elements
// and of 128 x 128.
const Tensor& only_scale(at::TensorList scales, at::IntArrayRef recipe) {
    constexpr std::int64_t whole = 0, rows = 1, blocks = 4, squares = 5;
    TORCH_CHECK_NOT_IMPLEMENTED(
        scales.size() == 1 && recipe.size() == 1 &&
            (recipe[0] == whole || recipe[0] == rows || recipe[0] == blocks || recipe[0] == squares),
        "ndsim does not simulate scaled products of blocks of 16 or 32 elements (MX and NV formats): "
        "scale by tensor, by row, or by blocks of 128");
    return scales[0];
}

// Scales of b's blocks may be those of its transpose; their shape shows it.
Tensor along(const Tensor& scale, const Tensor& tensor) {
    return scale.dim() == 1 && tensor.dim() == 2 && scale.numel() == tensor.size(0) && scale.numel() > 1
               ? scale.unsqueeze(1)
               : scale;
}

Tensor scaled_mm_v2(const Tensor& a, const Tensor& b, at::TensorList scale_a, at::IntArrayRef recipe_a,
                    at::IntArrayRef /*swizzle_a*/, at::TensorList scale_b, at::IntArrayRef recipe_b,
                    at::IntArrayRef /*swizzle_b*/, const MaybeTensor& bias, MaybeType type,
                    at::IntArrayRef /*contraction*/, bool fast) {
    return scaled_mm(a, b, along(only_scale(scale_a, recipe_a), a), only_scale(scale_b, recipe_b), bias, {}, type,
                     fast);
}

Tensor& scaled_mm_v2_out(const Tensor& a, const Tensor& b, at::TensorList scale_a, at::IntArrayRef recipe_a,
                         at::IntArrayRef swizzle_a, at::TensorList scale_b, at::IntArrayRef recipe_b,
                         at::IntArrayRef swizzle_b, const MaybeTensor& bias, MaybeType type,
                         at::IntArrayRef contraction, bool fast, Tensor& out) {
    return put(
        scaled_mm_v2(a, b, scale_a, recipe_a, swizzle_a, scale_b, recipe_b, swizzle_b, bias, type, contraction, fast),
        out);
}

// Grouped products, with groups of rows of a, of columns of b, of the reduced dimension, or of whole matrices. Scales
// are per row of a and per column of b.
Tensor scaled_grouped_mm(const Tensor& a, const Tensor& b, const Tensor& scale_a, const Tensor& scale_b,
                         const MaybeTensor& ends, const MaybeTensor& bias, const MaybeTensor& /*scale_of_result*/,
                         MaybeType type, bool /*fast*/) {
    const bool a_is_flat = a.dim() == 2;
    const bool b_is_flat = b.dim() == 2;
    const std::int64_t groups = ends && ends->defined() ? ends->numel() : a.size(0);
    const std::int64_t rows = a.size(-2);
    const std::int64_t columns = b.size(-1);
    const bool between = a_is_flat && b_is_flat;
    const auto shape = between || (!a_is_flat && !b_is_flat) ? std::vector<std::int64_t>{groups, rows, columns}
                                                             : std::vector<std::int64_t>{rows, columns};
    Tensor result = at::zeros(shape, at::kFloat);
    std::int64_t begin = 0;
    for (std::int64_t i = 0; i < groups; ++i) {
        const std::int64_t end = a_is_flat || b_is_flat ? (*ends)[i].item<std::int64_t>() : 0;
        const auto part = [&](const Tensor& of, std::int64_t dimension) {
            return of.narrow(dimension, begin, end - begin);
        };
        const Tensor a_part = between ? part(a, 1) : a_is_flat ? part(a, 0) : a[i];
        const Tensor b_part = between ? part(b, 0) : b_is_flat ? part(b, 1) : b[i];
        const Tensor rows_scale = between     ? scale_a.view({groups, rows})[i]
                                  : a_is_flat ? part(scale_a, 0)
                                              : scale_a.view({groups, rows})[i];
        const Tensor columns_scale = between     ? scale_b.view({groups, columns})[i]
                                     : b_is_flat ? part(scale_b, 0)
                                                 : scale_b.view({groups, columns})[i];
        const Tensor product =
            at::mm(unscaled(a_part, rows_scale.unsqueeze(1)), unscaled(b_part, columns_scale.unsqueeze(0)));
        Tensor place = shape.size() == 3 ? result[i] : part(result, a_is_flat ? 0 : 1);
        place.copy_(product);
        begin = end;
    }
    return finish(result, bias, type, at::kBFloat16);
}

Tensor scaled_grouped_mm_v2(const Tensor& a, const Tensor& b, at::TensorList scale_a, at::IntArrayRef recipe_a,
                            at::IntArrayRef /*swizzle_a*/, at::TensorList scale_b, at::IntArrayRef recipe_b,
                            at::IntArrayRef /*swizzle_b*/, const MaybeTensor& ends, const MaybeTensor& bias,
                            MaybeType type, at::IntArrayRef /*contraction*/, bool fast) {
    return scaled_grouped_mm(a, b, only_scale(scale_a, recipe_a), only_scale(scale_b, recipe_b), ends, bias, {}, type,
                             fast);
}

Tensor& scaled_grouped_mm_v2_out(const Tensor& a, const Tensor& b, at::TensorList scale_a, at::IntArrayRef recipe_a,
                                 at::IntArrayRef swizzle_a, at::TensorList scale_b, at::IntArrayRef recipe_b,
                                 at::IntArrayRef swizzle_b, const MaybeTensor& ends, const MaybeTensor& bias,
                                 MaybeType type, at::IntArrayRef contraction, bool fast, Tensor& out) {
    return put(scaled_grouped_mm_v2(a, b, scale_a, recipe_a, swizzle_a, scale_b, recipe_b, swizzle_b, ends, bias, type,
                                    contraction, fast),
               out);
}

// Two weights per byte, the first in the upper half. The packed tensor has the shape of a GPU's, but its own order.
Tensor pack_int4(const Tensor& weight, std::int64_t tiles) {
    constexpr std::int64_t tile_rows = 8, tile_columns = 16, lanes = 32, in_a_byte = 2;
    const std::int64_t rows = weight.size(0);
    const std::int64_t columns = weight.size(1) * in_a_byte;
    return weight.contiguous()
        .view(at::kInt)
        .reshape({rows / tile_rows, columns / (tiles * tile_columns), lanes, tiles / in_a_byte})
        .clone();
}

Tensor int4_mm(const Tensor& self, const Tensor& packed, std::int64_t group, const Tensor& scales_and_zeros) {
    constexpr std::int64_t middle = 8;
    const Tensor bytes = packed.contiguous().view(at::kByte).reshape({-1, self.size(1) / 2});
    const Tensor quanta = at::stack({bytes.bitwise_right_shift(4), bytes.bitwise_and(0xF)}, -1)
                              .reshape({bytes.size(0), self.size(1)})
                              .to(at::kFloat) -
                          middle;
    const auto of_groups = [&](std::int64_t which) {
        return scales_and_zeros.select(-1, which).t().to(at::kFloat).repeat_interleave(group, 1);
    };
    const Tensor weight = (quanta * of_groups(0) + of_groups(1)).to(self.scalar_type());
    return at::mm(self, weight.t());
}

}  // namespace

void add_products(Kernels& kernels) {
    kernels.add("mm.dtype", wide_mm);
    kernels.add("mm.dtype_out", wide_mm_out);
    kernels.add("bmm.dtype", wide_bmm);
    kernels.add("bmm.dtype_out", wide_bmm_out);
    kernels.add("addmm.dtype", wide_addmm);
    kernels.add("addmm.dtype_out", wide_addmm_out);
    kernels.add("baddbmm.dtype", wide_baddbmm);
    kernels.add("baddbmm.dtype_out", wide_baddbmm_out);
    kernels.add("_scaled_mm", scaled_mm);
    kernels.add("_scaled_mm.out", scaled_mm_out);
    kernels.add("_scaled_mm_v2", scaled_mm_v2);
    kernels.add("_scaled_mm_v2.out", scaled_mm_v2_out);
    kernels.add("_scaled_grouped_mm", scaled_grouped_mm, Takes::numbers_alone);
    kernels.add("_scaled_grouped_mm_v2", scaled_grouped_mm_v2, Takes::numbers_alone);
    kernels.add("_scaled_grouped_mm_v2.out", scaled_grouped_mm_v2_out, Takes::numbers_alone);
    kernels.add("_convert_weight_to_int4pack", pack_int4);
    kernels.add("_weight_int4pack_mm", int4_mm);
}

}  // namespace sim::slot
