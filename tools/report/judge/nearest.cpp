// What two places share is a set of columns. Sets are tried from the largest down, each by an index of the
// places sorted by their words in these columns. A value that none of the places has can be in no set. Places
// that were found once are looked up.
#include "judge/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace overlap::report {
namespace {

/// Indexes are made for so many sets of columns at most, and for no more than there are places: what is
/// shared is mostly all but a column or two.
constexpr std::size_t kMostIndexes = 100;

}  // namespace

Nearest::Nearest(const std::vector<const std::vector<std::string>*>& places) {
  for (std::size_t c = 0; c < places[0]->size(); ++c)
    if (std::ranges::any_of(places, [&](const auto* values) { return (*values)[c] != (*places[0])[c]; }))
      columns_.push_back(c);
  words_.resize(columns_.size());
  for (const auto* values : places) {
    Place place;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      place.push_back(words_[i].try_emplace((*values)[columns_[i]], words_[i].size() + 1).first->second);
    known_.try_emplace(place, places_.size());
    places_.push_back(std::move(place));
  }
}

std::size_t Nearest::find(const std::vector<std::string>& values) {
  Place place;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto word = words_[i].find(values[columns_[i]]);
    place.push_back(word == words_[i].end() ? 0 : word->second);
  }
  const auto [known, added] = known_.try_emplace(place, 0);
  if (added) known->second = search(place);
  return known->second;
}

// Of the sets of one size all are tried: one that shares none of the larger sets shares no more than this
// one.
std::size_t Nearest::search(const Place& place) {
  Columns known;
  for (std::size_t i = 0; i < place.size(); ++i)
    if (place[i] > 0) known.push_back(i);
  for (std::size_t left_out = 0; left_out < known.size(); ++left_out) {
    std::optional<std::size_t> first;
    std::vector<bool> is_in(known.size(), true);
    std::fill_n(is_in.begin(), left_out, false);
    do {
      Columns columns;
      for (std::size_t i = 0; i < known.size(); ++i)
        if (is_in[i]) columns.push_back(known[i]);
      if (!indexes_.contains(columns) && indexes_.size() >= std::min(places_.size(), kMostIndexes))
        return search_all(place);
      const auto found = first_with(place, columns);
      if (found && (!first || *found < *first)) first = found;
    } while (std::next_permutation(is_in.begin(), is_in.end()));
    if (first) return *first;
  }
  return 0;
}

std::size_t Nearest::search_all(const Place& place) const {
  const auto shared = [&](const Place& other) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < place.size(); ++i) count += place[i] == other[i] ? 1 : 0;
    return count;
  };
  return static_cast<std::size_t>(std::ranges::max_element(places_, {}, shared) - places_.begin());
}

std::optional<std::size_t> Nearest::first_with(const Place& place, const Columns& columns) {
  const auto is_less = [&](const Place& a, const Place& b) {
    return std::ranges::lexicographical_compare(
        columns, columns, {}, [&a](std::size_t c) { return a[c]; }, [&b](std::size_t c) { return b[c]; });
  };
  const auto place_at = [this](std::size_t at) -> const Place& { return places_[at]; };
  const auto [index, added] = indexes_.try_emplace(columns);
  std::vector<std::size_t>& sorted = index->second;
  if (added) {
    sorted.resize(places_.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::ranges::stable_sort(sorted, is_less, place_at);
  }
  const auto found = std::ranges::lower_bound(sorted, place, is_less, place_at);
  if (found == sorted.end() || is_less(place, place_at(*found))) return std::nullopt;
  return *found;
}

}  // namespace overlap::report
