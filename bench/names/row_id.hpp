// The name of a row, taken apart and put together again: the one parser and the one printer.
//
// Google Benchmark names a row family/axis:value/.../suffix, where the suffix is its own: how often and how
// the row was timed. Programs print names, the report reads them; both use this.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace overlap {

/// Axes and their values, in the order of a name. An axis without a name is a value that stands by itself.
using Axes = std::vector<std::pair<std::string, std::string>>;

/// What identifies a row. Foreign names are read the same way: what stands between slashes is an axis, with a
/// name or without.
struct RowId {
  std::string family{};     ///< up to the first slash
  Axes axes{};              ///< axes at their default are left out where the family says so
  std::string suffix{};     ///< Google Benchmark's own segments as they were, such as "/manual_time"
  bool is_whole = false;    ///< key() leaves out nothing: another row differs in that only
  std::size_t ordinal = 1;  ///< the how-manieth row of its name in a run: above 1 it is shown as " #2"

  /// The axis's value, by its name or its label; empty if the row has no such axis.
  const std::string& axis(std::string_view name) const;
  /// The axes as tables call them, each by a label of its own: values that stand by themselves are arg1, arg2
  /// and so on, and a name that is there twice is "n #2" the second time.
  Axes labelled() const;
  /// Whether all axes have names, and each another one.
  bool axes_are_labels() const;
  /// "4" of "/threads:4"; empty if the name does not say.
  std::string threads() const;
  /// By which clock the row is timed, as its name has it: "manual_time", "process_time/real_time"; empty if
  /// it does not say.
  std::string clock() const;
  /// Other settings that its name has, in their order: "min_time:2.000", "iterations:10", "repeats:3".
  std::vector<std::string> settings() const;
  /// The name by which a row is known everywhere: in tables, tolerances, stores, verdicts and exports.
  /// All of the name but "/manual_time", which is the usual way and says nothing, "/iterations:1" ahead of
  /// it, and the ordinal of equal names. Settings such as "/min_time:0.1" belong to it: a program may have
  /// one benchmark at several.
  std::string key() const;

  bool operator==(const RowId&) const = default;
};

/// Takes any name apart. print(parse_row_id(name)) == name.
RowId parse_row_id(std::string_view name);

/// The whole name, suffix included, as Google Benchmark has it; " #2" and so on after equal ones.
std::string print(const RowId& id);

/// The value that `axes` has for `name`; empty if it has none.
const std::string& value_of(const Axes& axes, std::string_view name);

}  // namespace overlap
