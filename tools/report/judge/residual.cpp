// Gram and Schmidt. The whitened shapes of parts are so simple that their products with any vector are a sum
// of two values, or one from the end, or one of such sums: all places are tried at once.
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

/// Takes so many of `unit` from a vector.
void subtract(Values& from, double many, const Values& unit) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= many * unit[i];
}

void add_squares(Values& to, double sign, const Values& values) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += sign * values[i] * values[i];
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

double Residual::Products::with(const Part& part) const {
  if (part.kind == Part::Kind::outlier) return outliers[part.end];
  if (part.end == part.begin + 1) return steps[part.end];
  return (sums[part.begin + 1] - sums[part.end + 1]) / static_cast<double>(part.end - part.begin);
}

// Whitened, an outlier is 1 (for the first run less) and -rho behind it; a step is the sum of outliers.
Residual::Products Residual::products_of(const Values& vector) const {
  const std::size_t n = vector.size();
  Products products{vector, Values(n), Values(n + 1)};
  products.outliers[0] *= std::sqrt(1 - rho_ * rho_);
  for (std::size_t i = 0; i + 1 < n; ++i) products.outliers[i] -= rho_ * vector[i + 1];
  for (std::size_t i = n; i-- > 0;) {
    products.steps[i] = products.outliers[i] + (i + 1 < n ? products.steps[i + 1] : 0);
    products.sums[i] = products.steps[i] + products.sums[i + 1];
  }
  return products;
}

// Whitened, the j-th of w values of a slope is (j (1 - rho) + rho) / w, and 1 - rho behind it.
double Residual::squares_of(const Part& part) const {
  const std::size_t n = rest_.size();
  const double slope = 1 - rho_, width = static_cast<double>(part.end - part.begin);
  if (part.kind == Part::Kind::outlier)
    return (part.end == 0 ? 1 - rho_ * rho_ : 1) + (part.end + 1 < n ? rho_ * rho_ : 0);
  return slope * slope * (width + 1) * (2 * width + 1) / (6 * width) + rho_ * slope * (width + 1) / width +
         rho_ * rho_ / width + static_cast<double>(n - 1 - part.end) * slope * slope;
}

Residual::Residual(const Values& values, const std::vector<Part>& parts, double rho)
    : rho_(rho), rest_(values) {
  whiten(rest_, rho);
  Values level(values.size(), 1);
  whiten(level, rho);
  const double whole = dot(level, level);
  put(std::move(level), {}, whole);
  for (const Part& part : parts) put(part);
  settle();
}

void Residual::add(const Part& part) {
  put(part);
  settle();
}

void Residual::settle() {
  squares_ = dot(rest_, rest_);
  rest_products_ = products_of(rest_);
}

void Residual::put(const Part& part) {
  Values along;
  double length = squares_of(part);
  const double whole = length;
  for (const auto& each : basis_) {
    along.push_back(each->products.with(part));
    length -= along.back() * along.back();
  }
  places_.push_back(0);
  if (!(length > kOwnShare * whole)) return;
  places_.back() = basis_.size();
  Values shape = shape_of(part, rest_.size());
  whiten(shape, rho_);
  for (std::size_t b = 0; b < basis_.size(); ++b) subtract(shape, along[b], basis_[b]->unit);
  length = dot(shape, shape);
  put(std::move(shape), std::move(along), length);
}

// Makes it a unit, and takes what it explains from the rest.
void Residual::put(Values shape, Values along, double whole) {
  along.push_back(std::sqrt(whole));
  for (double& each : shape) each /= along.back();
  const double of_values = dot(rest_, shape);
  subtract(rest_, of_values, shape);
  Products products = products_of(shape);
  basis_.push_back(std::make_shared<const Direction>(
      Direction{std::move(shape), std::move(products), std::move(along), of_values}));
}

// They are z, as a unit vector, with R' z = e, where R, whose columns are the shapes in the basis, is
// triangular.
Values Residual::own_direction(std::size_t place) const {
  Values z(basis_.size());
  double squares = 0;
  for (std::size_t b = place; b < z.size(); ++b) {
    const Values& column = basis_[b]->along;
    double sum = b == place ? 1 : 0;
    for (std::size_t i = place; i < b; ++i) sum -= column[i] * z[i];
    z[b] = sum / column[b];
    squares += z[b] * z[b];
  }
  for (double& each : z) each /= std::sqrt(squares);
  return z;
}

double Residual::squares_without(std::size_t at) const {
  if (places_[at] == 0) return squares_;
  const Values own = own_direction(places_[at]);
  double of_values = 0;
  for (std::size_t b = 0; b < own.size(); ++b) of_values += own[b] * basis_[b]->of_values;
  return squares_ + of_values * of_values;
}

Residual Residual::without(std::size_t at) const {
  Residual rest = *this;
  if (places_[at] == 0) return rest;
  const Values own = own_direction(places_[at]);
  Direction back{Values(rest_.size()), {}, {}, 0, -1};
  for (std::size_t b = places_[at]; b < own.size(); ++b) {
    subtract(back.unit, -own[b], basis_[b]->unit);
    back.of_values += own[b] * basis_[b]->of_values;
  }
  subtract(rest.rest_, -back.of_values, back.unit);
  back.products = products_of(back.unit);
  rest.basis_.push_back(std::make_shared<const Direction>(std::move(back)));
  rest.settle();
  return rest;
}

Residual::Fit Residual::fit(const Part& part) const {
  const double whole = squares_of(part);
  double length = whole;
  for (const auto& each : basis_) {
    const double along = each->products.with(part);
    length -= each->sign * along * along;
  }
  if (!(length > kOwnShare * whole)) return {};
  const double along = rest_products_.with(part);
  return {along / length, along * along / length};
}

Values Residual::outlier_gains() const {
  Values lengths(rest_.size());
  for (const auto& each : basis_) add_squares(lengths, each->sign, each->products.outliers);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const double whole = squares_of({Part::Kind::outlier, i, i});
    lengths[i] = gain_of(rest_products_.outliers[i], whole - lengths[i], whole);
  }
  return lengths;
}

Values Residual::step_gains() const {
  Values lengths(rest_.size());
  for (const auto& each : basis_) add_squares(lengths, each->sign, each->products.steps);
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    const double whole = squares_of({Part::Kind::step, i - 1, i});
    lengths[i] = gain_of(rest_products_.steps[i], whole - lengths[i], whole);
  }
  lengths[0] = 0;
  return lengths;
}

}  // namespace overlap::report
