// From the objects of a file to its rows: repetitions and summaries of a row come together, rows of one name
// stay apart.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "read/fields.hpp"
#include "read/results.hpp"

namespace overlap::report {

/// Whether a field is Google Benchmark's own and no counter.
bool is_standard_field(std::string_view key);

/// Collects the objects of one file.
class Gather {
 public:
  explicit Gather(const std::string& path) : path_(path) {}

  /// Takes in an object: a repetition, a failure, a summary.
  /// @throws InputError if it has no name.
  void add(const Fields& fields);
  /// Makes the rows, in the order of registration, and says what was left out or told apart. The context has
  /// to be there by now: it says whose counters these are.
  /// @param counters  the only ones to keep; empty: all.
  void finish(Run& run, const std::vector<std::string>& counters);
  /// Objects seen, of every kind.
  std::size_t count() const { return count_; }

 private:
  using Counters = std::vector<std::pair<std::string, double>>;
  /// What rows rarely have.
  struct Rest {
    std::vector<Written> repetitions;     ///< behind the first
    std::optional<Written> median, mean;  ///< the library's summaries
  };
  /// What the objects of one row hold.
  struct Gathered {
    Row row;
    bool has_first = false;
    Written first;  ///< its counters included
    std::unique_ptr<Rest> rest;
    std::size_t next = kNone;               ///< another one of the same name
    std::int32_t family = 0, instance = 0;  ///< order of registration; -1: the file has none
    std::size_t seen = 0;                   ///< repetitions, failed ones included
    bool numbered = false;                  ///< repetitions say which they are, but not of which row
    bool loose = false;                     ///< nothing says which other rows of its name are its repetitions
    bool dropped = false;

    Rest& more() {
      if (!rest) rest = std::make_unique<Rest>();
      return *rest;
    }
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// The row that an object belongs to, begun if need be.
  Gathered& find(const Fields& fields, RowId id, const std::string& written);
  /// Takes one object into a row. @return whether it was one of fitted complexity, which has no time.
  bool take(Gathered& into, const Fields& fields);
  /// Brings loose rows together with what old versions wrote behind them: summaries without a mark.
  void settle_loose();
  /// The row of one Gathered.
  Row make(Gathered&& gathered, bool our_context, const std::vector<std::string>& counters) const;

  const std::string& path_;
  std::deque<Gathered> rows_;
  /// By the hash of a name and its indices, its first row and its last.
  std::unordered_map<std::size_t, std::pair<std::size_t, std::size_t>> index_;
  /// By the hash of a name and a part of a row, such as its third repetition: the last row of that name
  /// that is known to have the part, as all ahead of it do.
  std::unordered_map<std::size_t, std::size_t> passed_;
  std::size_t count_ = 0, fitted_ = 0;
};

}  // namespace overlap::report
