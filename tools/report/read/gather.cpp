// A row is known by its name, its threads, and, from version 1.5.5 on, by two indices of registration. Before
// that a repetition says which one it is (1.5), or nothing at all (1.4 and older): there, what summaries
// follow upon are repetitions, and everything else is a row of its own.
#include "read/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "names/counters.hpp"

namespace overlap::report {
namespace {

/// Microseconds in a unit of time; nothing for another word.
std::optional<double> us_per(std::string_view unit) {
  if (unit == "ns") return 1e-3;
  if (unit == "us") return 1;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1e6;
  return std::nullopt;
}

/// The same unit, as a word that stays.
const char* unit_of(std::string_view unit) {
  for (const char* known : {"ns", "us", "ms"})
    if (unit == known) return known;
  return "s";
}

/// Why a row has no time, if it says so itself: errors before 1.8, errors and skips since.
std::string failure_of(const Fields& fields) {
  if (fields.flag("error_occurred")) {
    const std::string_view message = fields.text("error_message");
    return message.empty() ? "failed without a message" : std::string(message);
  }
  if (fields.flag("skipped")) return "skipped: " + std::string(fields.text("skip_message"));
  return "";
}

/// The time of a row in microseconds, or what is wrong with it. Zero is a time: rows that take next to
/// nothing have it. Whoever divides by a time looks first.
std::pair<double, std::string> time_of(const Fields& fields) {
  const Value* time = fields.find("real_time");
  if (!time) return {0, "real_time is missing"};
  if (time->kind == Value::Kind::null) return {0, "real_time is not finite"};
  if (time->kind != Value::Kind::number) return {0, "real_time is not a number"};
  const auto unit = us_per(fields.text("time_unit"));
  if (!unit) return {0, fmt::format("time_unit is '{}', not ns, us, ms or s", fields.text("time_unit"))};
  const double time_us = time->number * *unit;
  if (!(time_us >= 0)) return {0, fmt::format("a time of {} us", time_us)};
  return {time_us, ""};
}

/// Whether a name is another one's with this word behind it.
bool is_summary_of(const std::string& name, const std::string& of, std::string_view word) {
  return name.size() == of.size() + 1 + word.size() && name.starts_with(of) && name[of.size()] == '_' &&
         name.ends_with(word);
}

}  // namespace

bool is_standard_field(std::string_view key) {
  static constexpr std::string_view kFields[] = {"name",
                                                 "family_index",
                                                 "per_family_instance_index",
                                                 "run_name",
                                                 "run_type",
                                                 "repetitions",
                                                 "threads",
                                                 "repetition_index",
                                                 "iterations",
                                                 "real_time",
                                                 "cpu_time",
                                                 "time_unit",
                                                 "aggregate_name",
                                                 "aggregate_unit",
                                                 "error_occurred",
                                                 "error_message",
                                                 "skipped",
                                                 "skip_message",
                                                 "label",
                                                 "big_o",
                                                 "cpu_coefficient",
                                                 "real_coefficient",
                                                 "rms"};
  return std::ranges::find(kFields, key) != std::end(kFields);
}

// All repetitions and summaries of a row have one `run_name`; `name` has the summary's behind it. A number of
// threads that the name does not have becomes part of it.
void Gather::add(const Fields& fields) {
  const std::string_view name = fields.text("name");
  if (name.empty())
    throw InputError(fmt::format("{}: offset {}: benchmarks[{}] has {}", path_, fields.offset, count_,
                                 fields.find("name") ? "a name that is empty or no text" : "no name"));
  ++count_;
  const std::string_view run_name = fields.text("run_name");
  std::string written(run_name.empty() ? name : run_name);
  RowId id = parse_row_id(written);
  const double threads = fields.number("threads").value_or(1);
  if (threads > 1 && id.suffix.find("/threads:") == std::string::npos) {
    id.suffix += fmt::format("/threads:{}", threads);
    written = print(id);
  }
  if (take(find(fields, std::move(id), written), fields)) ++fitted_;
}

Gather::Gathered& Gather::find(const Fields& fields, RowId id, const std::string& written) {
  const auto index = [&](const char* key) {
    const double value = fields.number(key).value_or(-1);
    return value >= 0 && value < 1e9 ? static_cast<std::int32_t>(value) : -1;
  };
  const std::int32_t family = index("family_index"), instance = index("per_family_instance_index");
  const bool has_indices = family >= 0 || instance >= 0;
  const auto repetition = fields.number("repetition_index");
  const double repetitions = fields.number("repetitions").value_or(0);
  const bool is_summary = fields.text("run_type") == "aggregate";
  const auto has_summary = [](const Gathered& row, std::string_view kind) {
    if (!row.rest) return false;
    return (kind == "median" && row.rest->median) || (kind == "mean" && row.rest->mean);
  };
  const auto belongs = [&](const Gathered& other) {
    if (has_indices) return other.family == family && other.instance == instance;
    if (is_summary) return !has_summary(other, fields.text("aggregate_name"));
    if (!repetition) return static_cast<double>(other.seen) < repetitions;
    return other.numbered || other.rest != nullptr;  // those that have this one are passed already
  };
  const std::hash<std::string> hash_of;
  const std::size_t hash =
      hash_of(written) ^ (static_cast<std::size_t>(family + 1) << 32 | static_cast<unsigned>(instance + 1));
  const auto [same, added] = index_.try_emplace(hash, rows_.size(), rows_.size());
  auto& [first, last] = same->second;
  // Rows that can belong to no other are not looked for. Where nothing but the name and the part tell, a row
  // that has the part is never looked at again: a file of one name a hundred thousand times is read in time.
  const bool may_belong = has_indices || is_summary || repetitions > 1 || (repetition && repetitions != 1);
  const bool is_numbered = repetition && !has_indices && !is_summary;
  const auto part = [&] {
    return is_summary    ? std::string(fields.text("aggregate_name"))
           : is_numbered ? fmt::format("#{}", *repetition)
                         : fmt::format("of {}", repetitions);
  };
  std::size_t unkept = kNone;
  std::size_t& passed = may_belong && !has_indices
                            ? passed_.try_emplace(hash_of(written + '\0' + part()), kNone).first->second
                            : unkept;
  std::size_t at = added || !may_belong ? kNone : passed == kNone ? first : rows_[passed].next;
  while (at != kNone && !(belongs(rows_[at]) && print(rows_[at].row.id) == written)) {
    passed = at;
    at = rows_[at].next;
  }
  if (at != kNone) {
    if (is_numbered) passed = at;
    return rows_[at];
  }
  if (!added) rows_[last].next = rows_.size();
  last = rows_.size();
  if (is_numbered) passed = last;
  Gathered& row = rows_.emplace_back();
  row.row.id = std::move(id);
  row.family = family;
  row.instance = instance;
  row.loose = !has_indices && !repetition && repetitions == 0 && !is_summary;
  row.numbered = is_numbered && repetitions != 1;
  return row;
}

// Of failures the first is kept. Of summaries only the median and the mean are a time; deviations and their
// like are left out. A summary whose own time makes no sense does not fail its row.
bool Gather::take(Gathered& into, const Fields& fields) {
  const auto fail = [&](std::string failure, bool invalid, bool skipped) {
    if (!into.row.failure.empty()) return;
    into.row.failure = std::move(failure);
    into.row.invalid = invalid;
    into.row.skipped = skipped;
  };
  const bool aggregate = fields.text("run_type") == "aggregate";
  if (!aggregate) ++into.seen;
  if (std::string failure = failure_of(fields); !failure.empty()) {
    fail(std::move(failure), false, !fields.flag("error_occurred"));
    return false;
  }
  if (fields.find("big_o") || fields.find("rms")) return true;
  const std::string_view aggregate_name = fields.text("aggregate_name");
  if (aggregate && aggregate_name != "median" && aggregate_name != "mean") return false;
  constexpr std::string_view kBoundBy = kBoundByLabel;
  if (const std::string_view label = fields.text("label"); label.starts_with(kBoundBy))
    into.row.bound_by = label.substr(kBoundBy.size());
  const auto [time_us, wrong] = time_of(fields);
  if (!wrong.empty()) {
    if (!aggregate) fail(fmt::format("offset {}: {}", fields.offset, wrong), true, false);
    return false;
  }
  Written taken = {.time_us = time_us,
                   .iterations = fields.number("iterations").value_or(1),
                   .threads = fields.number("threads").value_or(1),
                   .unit = unit_of(fields.text("time_unit")),
                   .unit_us = *us_per(fields.text("time_unit")),
                   .label = std::string(fields.text("label"))};
  if (const auto cpu_time = fields.number("cpu_time")) taken.cpu_time_us = *cpu_time * taken.unit_us;
  const auto is_counter = [](const auto& field) {
    return field.second.kind == Value::Kind::number && !is_standard_field(field.first);
  };
  std::size_t counters = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) counters += is_counter(fields.at(i)) ? 1 : 0;
  taken.counters.reserve(counters);
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (is_counter(fields.at(i))) taken.counters.emplace_back(fields.at(i).first, fields.at(i).second.number);
  if (aggregate) {
    (aggregate_name == "median" ? into.more().median : into.more().mean) = std::move(taken);
  } else if (!into.has_first) {
    into.first = std::move(taken);
    into.has_first = true;
  } else {
    into.more().repetitions.push_back(std::move(taken));
  }
  return false;
}

// Old versions write a row's repetitions and then its mean, median (from 1.3 on) and standard deviation, by
// name alone, all with one number of iterations; statistics of the program's own follow. A program may have
// benchmarks of such names too: those have no two repetitions ahead of them, nor as many iterations.
void Gather::settle_loose() {
  std::unordered_map<std::string, std::vector<std::size_t>> open;  // loose rows by name, since its summary
  const auto name = [&](std::size_t at) {
    return at < rows_.size() ? print(rows_[at].row.id) : std::string();
  };
  const auto absorb = [&](const std::vector<std::size_t>& all) {
    Gathered& into = rows_[all[0]];
    for (std::size_t i = 1; i < all.size(); ++i) {
      Gathered& other = rows_[all[i]];
      other.dropped = true;
      if (into.row.failure.empty() && other.row.failed()) {
        into.row.failure = other.row.failure;
        into.row.invalid = other.row.invalid;
        into.row.skipped = other.row.skipped;
      }
      if (other.has_first && into.has_first)
        into.more().repetitions.push_back(std::move(other.first));
      else if (other.has_first)
        into.has_first = true, into.first = std::move(other.first);
    }
  };
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    if (!rows_[at].loose) continue;
    const std::string mean = name(at);
    const bool may_begin = mean.ends_with("_mean") && rows_[at].has_first;
    const std::string of = may_begin ? mean.substr(0, mean.size() - 5) : "";
    const bool has_median = may_begin && is_summary_of(name(at + 1), of, "median");
    const std::size_t deviation = at + (has_median ? 2 : 1);
    const auto same = [&](std::size_t other) {
      return other < rows_.size() && rows_[other].loose && rows_[other].has_first &&
             rows_[other].first.iterations == rows_[at].first.iterations;
    };
    const auto& before = open[of];
    if (!may_begin || !same(deviation) || (has_median && !same(at + 1)) ||
        !is_summary_of(name(deviation), of, "stddev") || before.size() == 1) {
      open[mean].push_back(at);
      continue;
    }
    std::size_t end = deviation + 1;
    while (same(end) && name(end).starts_with(of + "_")) ++end;
    for (std::size_t i = at; i < end; ++i) rows_[i].dropped = true;
    if (before.empty()) {  // only the summaries were kept
      Gathered& summary = rows_[has_median ? at + 1 : at];
      summary.dropped = false;
      summary.row.id = parse_row_id(of);
      (has_median ? summary.more().median : summary.more().mean) = std::move(summary.first);
      summary.has_first = false;
    } else {
      absorb(before);
    }
    open.erase(of);
    at = end - 1;
  }
  // Versions in between mark summaries, but not what they are of.
  for (const auto& [key, all] : open)
    if (all.size() > 1 && rows_[all[0]].rest && (rows_[all[0]].rest->median || rows_[all[0]].rest->mean))
      absorb(all);
}

// One failed repetition fails the row, whatever the others took. Times stay apart by repetition; a counter is
// the median over the repetitions that have it. Without repetitions the library's median stands in, and
// without that its mean. A row's time is the median of its samples where it says so: one late sample moves
// the mean.
Row Gather::make(Gathered&& gathered, bool our_context, const std::vector<std::string>& counters) const {
  Row row = std::move(gathered.row);
  std::vector<Written> all;
  if (gathered.has_first) all.push_back(std::move(gathered.first));
  if (gathered.rest) std::ranges::move(gathered.rest->repetitions, std::back_inserter(all));
  if (all.empty() && gathered.rest && (gathered.rest->median || gathered.rest->mean)) {
    auto& summary = gathered.rest->median ? gathered.rest->median : gathered.rest->mean;
    all.push_back(std::move(*summary));
    row.summary_only = !row.failed();
  }
  const auto value_in = [](const Written& taken, std::string_view key) -> const double* {
    const auto found = std::ranges::find(taken.counters, key, &Counters::value_type::first);
    return found == taken.counters.end() ? nullptr : &found->second;
  };
  row.ours = our_context || std::ranges::any_of(all, [&](const Written& taken) {
               const double* marker = value_in(taken, counter::kOurs);
               return marker && *marker == 1;
             });
  if (!row.ours) row.bound_by.clear();
  if (row.failed()) return row;
  if (all.empty()) {
    row.failure = "no time in the file";
    row.invalid = true;
    return row;
  }
  row.times_us.reserve(all.size());
  for (const Written& taken : all) {
    const double* p50 = row.ours ? value_in(taken, counter::kP50Us) : nullptr;
    row.times_us.push_back(p50 ? *p50 : taken.time_us);
  }
  if (const auto wrong = std::ranges::find_if(row.times_us, [](double us) { return !(us >= 0); });
      wrong != row.times_us.end()) {
    row.failure = fmt::format("a time of {} us", *wrong);
    row.invalid = true;
    row.times_us.clear();
    return row;
  }
  if (counters.empty()) {
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return row.times_us[i]; });
    const Written& middle = all[order[(order.size() - 1) / 2]];
    auto written = std::make_shared<Written>(middle);
    if (all.size() == 1) written->counters.clear();
    row.written = std::move(written);
  }
  if (all.size() == 1) {
    row.counters = std::move(all[0].counters);
  } else {
    std::map<std::string, std::vector<double>> values;
    for (const Written& taken : all)
      for (const auto& [key, value] : taken.counters) values[key].push_back(value);
    for (auto& [key, each] : values) row.counters.emplace_back(key, report::median(std::move(each)));
  }
  if (!counters.empty()) {
    std::erase_if(row.counters, [&](const auto& each) {
      return std::ranges::find(counters, each.first) == counters.end();
    });
    row.counters.shrink_to_fit();
  }
  return row;
}

// Sorting is stable: rows of files without indices stay as they stand. Each row is done with before the next
// one is made, so that a large file is not there twice.
void Gather::finish(Run& run, const std::vector<std::string>& counters) {
  index_.clear();
  passed_.clear();
  settle_loose();
  std::erase_if(rows_, [&](const Gathered& g) {
    const bool is_fitted = !g.has_first && !g.row.failed() && !g.rest && fitted_ > 0;
    return g.dropped || is_fitted;
  });
  const auto order = [](const Gathered& g) { return std::pair(g.family, g.instance); };
  if (!std::ranges::is_sorted(rows_, {}, order)) std::ranges::stable_sort(rows_, {}, order);
  const bool our_context = is_our_context(run.context);
  run.rows.reserve(rows_.size());
  std::size_t summaries = 0;
  for (; !rows_.empty(); rows_.pop_front()) {
    run.rows.push_back(make(std::move(rows_.front()), our_context, counters));
    if (run.rows.back().summary_only) ++summaries;
  }
  const std::size_t same_names = tell_apart(run.rows);
  const auto warn = [&](std::size_t count, const std::string& what) {
    if (count > 0) run.warnings.push_back(fmt::format("{} row{} {}", count, count == 1 ? "" : "s", what));
  };
  std::string such_as;
  if (same_names > 0) {
    RowId id = std::ranges::find_if(run.rows, [](const Row& row) { return row.id.ordinal > 1; })->id;
    id.ordinal = 1;
    such_as = print(id);
  }
  warn(same_names, fmt::format("with the name of another, such as '{}': told apart by #2, #3 ...", such_as));
  warn(fitted_, "of fitted complexity (BigO, RMS) left out: no measurement");
  warn(summaries, "only as a summary, without the repetitions that it is of");
}

}  // namespace overlap::report
