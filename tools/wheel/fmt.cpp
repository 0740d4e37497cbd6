// fmt's library, compiled from its headers: distributions ship only a shared one, and a wheel carries no shared
// libraries.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto dragonbox::to_decimal(float number) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double number) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl<char>(locale_ref locale) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl<char>(locale_ref locale) -> char;

}  // namespace detail
FMT_END_NAMESPACE
