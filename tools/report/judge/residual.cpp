// Gram and Schmidt. The whitened shapes of outliers and steps are so simple that their products with any
// vector are a sum of two values, or one from the end: all places are tried at once.
#include "judge/residual.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace overlap::report {
namespace {

using Values = std::vector<double>;

/// Of a shape's squares, what must be left beside the others for it to be a shape of its own.
constexpr double kOwnShare = 1e-6;

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// @param along  of the rest on the shape; `length` and `whole`: the shape's squares beside the others, and
/// all
double gain_of(double along, double length, double whole) {
  return length > kOwnShare * whole ? along * along / length : 0;
}

}  // namespace

Values shape_of(const Part& part, std::size_t n) {
  Values shape(n);
  if (part.kind == Part::Kind::outlier) {
    shape[part.end] = 1;
    return shape;
  }
  const auto width = static_cast<double>(part.end - part.begin);
  for (std::size_t i = part.begin + 1; i < n; ++i)
    shape[i] = std::min(1.0, static_cast<double>(i - part.begin) / width);
  return shape;
}

void whiten(Values& values, double rho) {
  for (std::size_t i = values.size(); i-- > 1;) values[i] -= rho * values[i - 1];
  values[0] *= std::sqrt(1 - rho * rho);
}

double level_of(Values values, double rho) {
  Values ones(values.size(), 1);
  whiten(values, rho);
  whiten(ones, rho);
  return dot(values, ones) / dot(ones, ones);
}

Residual::Residual(const Values& values, const std::vector<Part>& parts, double rho)
    : rho_(rho), rest_(values) {
  whiten(rest_, rho);
  add(Values(values.size(), 1));
  for (const Part& part : parts) add(shape_of(part, values.size()));
  squares_ = dot(rest_, rest_);
}

// Whitens it, makes it orthogonal to the others, and takes what it explains from the rest.
void Residual::add(Values shape) {
  whiten(shape, rho_);
  const double whole = dot(shape, shape);
  const auto take = [](Values& from, const Values& unit) {
    const double along = dot(from, unit);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= along * unit[i];
  };
  for (const Values& each : basis_) take(shape, each);
  const double length = dot(shape, shape);
  if (!(length > kOwnShare * whole)) return;
  for (double& each : shape) each /= std::sqrt(length);
  take(rest_, shape);
  basis_.push_back(std::move(shape));
}

Residual::Fit Residual::fit(Values shape) const {
  whiten(shape, rho_);
  const double whole = dot(shape, shape);
  double length = whole;
  for (const Values& each : basis_) {
    const double along = dot(each, shape);
    length -= along * along;
  }
  if (!(length > kOwnShare * whole)) return {};
  const double along = dot(rest_, shape);
  return {along / length, along * along / length};
}

// Whitened, an outlier is 1 (for the first run less) and -rho behind it.
Values Residual::outlier_gains() const {
  const std::size_t n = rest_.size();
  Values gains(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double here = i == 0 ? std::sqrt(1 - rho_ * rho_) : 1, next = i + 1 < n ? -rho_ : 0;
    const auto along = [&](const Values& v) { return here * v[i] + (i + 1 < n ? next * v[i + 1] : 0); };
    const double whole = here * here + next * next;
    double length = whole;
    for (const Values& each : basis_) length -= along(each) * along(each);
    gains[i] = gain_of(along(rest_), length, whole);
  }
  return gains;
}

// Whitened, a step is 1 at its place and 1 - rho behind it.
Values Residual::step_gains() const {
  const std::size_t n = rest_.size();
  Values gains(n), basis_behind(basis_.size());
  double rest_behind = 0, whole = 1;
  for (std::size_t i = n; i-- > 1;) {
    double length = whole;
    for (std::size_t b = 0; b < basis_.size(); ++b) {
      const double along = basis_[b][i] + (1 - rho_) * basis_behind[b];
      length -= along * along;
      basis_behind[b] += basis_[b][i];
    }
    gains[i] = gain_of(rest_[i] + (1 - rho_) * rest_behind, length, whole);
    rest_behind += rest_[i];
    whole += (1 - rho_) * (1 - rho_);
  }
  return gains;
}

}  // namespace overlap::report
