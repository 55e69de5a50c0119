// What is usual for every family, and what becomes of one that only the context of a run describes.
#include "judge/family_report.hpp"

#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "names/context_keys.hpp"
#include "names/counters.hpp"

namespace overlap::report {
namespace {

using Form = Metric::Form;

/// The column of a counter that only a run's context names.
Column column_of(const std::string& name) {
  const Counter* known = find_counter(name);
  const std::string unit = known                         ? known->unit
                           : name.ends_with("_us")       ? "us"
                           : name.ends_with("_pct")      ? "%"
                           : name.starts_with("pct_of_") ? "%"
                                                         : "";
  const auto less = [&name](std::string_view end) {
    return name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name;
  };
  if (unit == "us") return {{name, less("_us"), Form::time}};
  if (unit == "%") return {{name, less("_pct"), Form::percent}};
  return {{name, name, unit == "1" ? Form::ratio : Form::tenths}};
}

/// A report from facts alone: tables and advice, but no charts, notes, causes or rules.
FamilyReport report_of(const std::string& name, const FamilyFacts& facts) {
  FamilyReport report{.name = name, .work = facts.work, .plain = facts.plain, .defaults = facts.defaults};
  const std::vector<Metric> usual = metrics_of(Families());
  for (const std::string& each : facts.columns)
    if (std::ranges::find(usual, each, &Metric::name) == usual.end())
      report.columns.push_back(column_of(each));
  return report;
}

/// How much it asks for, by one axis: a number of its own, or the place of a word. What a row does not have
/// is the simplest; a word that nobody listed is the least simple.
double rank_of(const Row& row, const Simplicity& by) {
  const std::string& value = row.axis(by.axis);
  if (value.empty()) return by.more ? -HUGE_VAL : 0;
  if (by.words.empty()) return by.more ? -row.number(by.axis) : row.number(by.axis);
  return static_cast<double>(std::ranges::find(by.words, value) - by.words.begin());
}

}  // namespace

Axes FamilyReport::table_baseline() const {
  if (baseline) return *baseline;
  Axes less = plain;
  std::erase_if(less, [this](const auto& each) {
    return std::ranges::find(table_axes(), each.first) != table_axes().end();
  });
  return less;
}

Families with_strangers(Families families, const std::vector<Run>& runs) {
  const std::string_view prefix = context::kFamilyPrefix;
  for (const Run& run : runs) {
    for (const auto& [key, value] : run.context) {
      if (!key.starts_with(prefix)) continue;
      const std::string name = key.substr(prefix.size());
      if (std::ranges::find(families, name, &FamilyReport::name) == families.end())
        families.push_back(report_of(name, parse_family_facts(value)));
    }
  }
  return families;
}

// Numbers by value and before words; the whole name last, so that no two rows are equal.
bool is_simpler(const Row& a, const Row& b, const FamilyReport& family) {
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  };
  for (const Simplicity& by : family.simplicity) {
    const double of_a = rank_of(a, by), of_b = rank_of(b, by);
    if (of_a != of_b) return of_a < of_b;
  }
  const auto differs = [&](const Row& row) {
    return std::ranges::count_if(family.plain,
                                 [&](const auto& axis) { return row.axis(axis.first) != axis.second; });
  };
  if (differs(a) != differs(b)) return differs(a) < differs(b);
  for (const auto& [axis, value] : a.id.axes) {
    const std::string& other = b.axis(axis);
    if (value == other) continue;
    if (is_number(value) != is_number(other)) return is_number(value);
    if (is_number(value) && a.number(axis) != b.number(axis)) return a.number(axis) < b.number(axis);
    return value < other;
  }
  return a.name() < b.name();
}

const FamilyReport& find_family(const Families& families, std::string_view name) {
  static const FamilyReport kNone{.name = ""};
  const auto found = std::ranges::find(families, name, &FamilyReport::name);
  return found == families.end() ? kNone : *found;
}

std::vector<Metric> metrics_of(const std::vector<const FamilyReport*>& families) {
  std::vector<Metric> metrics = {{"time_us", "time", Form::time},
                                 {"spread", "\u00B1", Form::fraction},
                                 {"speedup", "speedup", Form::ratio},
                                 {"gb_per_s", "GB/s", Form::tenths},
                                 {"items_per_second", "items/s", Form::rate}};
  const auto add = [&](const std::vector<Metric>& more) {
    for (const Metric& each : more)
      if (std::ranges::find(metrics, each.name, &Metric::name) == metrics.end()) metrics.push_back(each);
  };
  const auto add_own = [&](Column::Place place) {
    for (const FamilyReport* family : families)
      for (const Column& column : family->columns)
        if (column.place == place) add({column.metric});
  };
  add_own(Column::Place::after_rate);
  add({{counter::kBoundPct, "of bound", Form::percent}, {counter::kOverlapPct, "hidden", Form::percent}});
  add_own(Column::Place::after_limit);
  add({{"times_cpu", "over CPU", Form::ratio},
       {counter::kCpuFreePct, "CPU free", Form::percent},
       {counter::kSubmitUs, "submit_us", Form::tenths},
       {counter::kHostBound, "", Form::tenths}});  // a mark on submit_us where people read
  return metrics;
}

std::vector<Metric> metrics_of(const Families& families) {
  std::vector<const FamilyReport*> all;
  for (const FamilyReport& family : families) all.push_back(&family);
  return metrics_of(all);
}

void add_guests(Run& run, const Families& families) {
  for (const FamilyReport& family : families) {
    if (!family.guest) continue;
    std::set<Axes> wanted;  // work that the family's own rows do
    for (const Row& row : run.rows)
      if (row.family() == family.name) wanted.insert(values_of(row, family.work));
    std::vector<Row> guests;
    std::unordered_set<std::string> names;
    for (const Row& row : run.rows) {
      const std::optional<RowId> id = family.guest(row);
      if (!id) continue;
      guests.push_back(row);
      guests.back().id = *id;
      names.insert(guests.back().name());
      if (!wanted.contains(values_of(guests.back(), family.work))) guests.pop_back();
    }
    if (guests.empty()) continue;
    std::map<Axes::value_type, std::size_t> places;  // of the first row with each value of the first axis
    for (std::size_t i = 0; i < run.rows.size(); ++i)
      if (const Row& row = run.rows[i];
          row.family() == family.name && !row.id.axes.empty() && !names.contains(row.name()))
        places.try_emplace(row.id.axes.front(), i);
    const auto place_of = [&](const Row& guest) {
      const auto found = guest.id.axes.empty() ? places.end() : places.find(guest.id.axes.front());
      return found == places.end() ? run.rows.size() : found->second;
    };
    std::ranges::stable_sort(guests, {}, place_of);
    std::vector<Row> rows;
    rows.reserve(run.rows.size() + guests.size());
    auto guest = guests.begin();
    for (std::size_t i = 0; i < run.rows.size(); ++i) {
      for (; guest != guests.end() && place_of(*guest) == i; ++guest) rows.push_back(std::move(*guest));
      rows.push_back(std::move(run.rows[i]));
    }
    std::move(guest, guests.end(), std::back_inserter(rows));
    run.rows = std::move(rows);
  }
}

bool hid_little(const Row& row) {
  constexpr double kLittlePct = 50;
  return row.counter(counter::kOverlapPct).value_or(100) < kLittlePct;
}

bool is_paced_by_submission(const Row& row) {
  return row.counter(counter::kHostBound).value_or(0) > 0 || row.bound_by == "submission";
}

std::string fewer_calls(const Row& row) {
  return row.axis("submit") == "launch" ? "fewer, larger calls, or a graph" : "fewer, larger calls";
}

Cause paced_by_submission(const Row& row) {
  return {"submission bound: enqueuing takes as long as the work", fewer_calls(row)};
}

Cause one_copy_engine() {
  return {"one copy engine: copies in and out take turns", "overlap kernels with copies of one direction"};
}

Cause not_known() { return {"not known", "look at a timeline"}; }

}  // namespace overlap::report
