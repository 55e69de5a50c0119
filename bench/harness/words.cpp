// Numbers are read by hand, since a suffix or a power has to be understood and an overflow refused. The
// nearest words are those with the least edits (Levenshtein); one that the wrong word begins with counts as
// one edit.
#include "harness/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

namespace overlap {
namespace {

/// Nothing where the product does not fit.
std::optional<std::int64_t> multiplied(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// Letters to insert, delete or change to get from one word to the other (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  if (const auto caret = text.find('^'); caret != std::string_view::npos) {
    const auto base = parse_number(text.substr(0, caret)), exponent = parse_number(text.substr(caret + 1));
    if (!base || !exponent || *exponent < 0 || *exponent > 63) return std::nullopt;
    std::optional<std::int64_t> power = 1;
    for (std::int64_t i = 0; i < *exponent && power; ++i) power = multiplied(*power, *base);
    return power;
  }
  constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"Ki", 1 << 10}, {"Mi", 1 << 20},  {"Gi", 1 << 30},     {"k", 1000},
      {"K", 1000},     {"M", 1'000'000}, {"G", 1'000'000'000}};
  std::int64_t unit = 1;
  for (const auto& [suffix, factor] : kUnits) {
    if (!text.ends_with(suffix)) continue;
    unit = factor;
    text.remove_suffix(suffix.size());
    break;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return multiplied(number, unit);
}

// Near is up to 2 edits, or a third of the word; three words at most. If none is near, all are named.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : known) {
    const bool starts = !word.empty() && candidate.starts_with(word);
    ranked.emplace_back(starts ? 1 : edit_distance(word, candidate), candidate);
  }
  std::ranges::stable_sort(ranked, {}, [](const auto& pair) { return pair.first; });
  std::vector<std::string> near;
  for (const auto& [distance, candidate] : ranked)
    if (distance <= std::max<std::size_t>(2, word.size() / 3) && near.size() < 3)
      near.push_back("'" + candidate + "'");
  if (!near.empty()) return "; did you mean " + fmt::format("{}", fmt::join(near, " or ")) + "?";
  return "; known are " + fmt::format("{}", fmt::join(known, ", "));
}

bool contains(const std::vector<std::string>& all, std::string_view word) {
  return std::ranges::find(all, word) != all.end();
}

std::string printable(std::string text) {
  for (char& c : text)
    if (c < 0x20 || c > 0x7E) c = c == '\n' ? ' ' : '?';
  return text;
}

}  // namespace overlap
