// What the report knows of a family, in one value. Tables, advice, charts and rules are loops over these and
// name no family: tools/report/families has a file for each that we know, and runs bring the facts of others
// along in their context (names/family_facts.hpp). What is left empty is not there, or is as usual.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/rows.hpp"
#include "names/family_facts.hpp"

namespace overlap::report {

/// A number that a row can have, and how it is shown.
struct Metric {
  /// time: microseconds; fraction: 0.01 for 1 %; percent: 1 for 1 %; tenths: one digit after the point; rate:
  /// things per second, with the prefix that fits.
  enum class Form { time, ratio, fraction, percent, precise_percent, tenths, rate };
  std::string name;  ///< in JSON and CSV; of a family's own column, the counter that it shows
  std::string head;  ///< of its column; empty: not a column of its own
  Form form = Form::tenths;
};

/// A family's own column, and where it stands among the usual ones.
struct Column {
  enum class Place { after_rate, after_limit };
  Metric metric;
  Place place = Place::after_rate;
};

/// A chart of a family's tables.
struct ChartSpec {
  std::string title, x_axis, y_metric;
  std::string x, y;                             ///< what is written along the axes
  std::vector<std::string> line;                ///< axes whose values make a line each
  std::function<bool(const Axes& row)> keep{};  ///< rows that are drawn; empty: all
  std::string over{};                           ///< an axis whose tables share this chart
  bool log_y = false;
  double scale = 1;  ///< of y
};

/// A rule of thumb, answered by this run.
struct Rule {
  /// understated: there is more of it than the rule says; overstated: less; is_false: nothing, or the
  /// opposite. What is how much stands in numbers with each rule. not_measurable: its rows are there, but
  /// this machine, or its noise, leaves nothing to tell; not_measured: they are not in the run.
  enum class Verdict { is_true, understated, overstated, is_false, not_measurable, not_measured };
  std::string rule;
  Verdict verdict = Verdict::not_measured;
  std::string why{};
  std::vector<std::string> rows{};
};

/// How a family answers a rule, from its rows that have a time.
struct RuleCheck {
  int place;  ///< rules of all families are shown in this order
  std::function<Rule(const Rows&)> check;
};

/// Why overlap was lost, and what helps.
struct Cause {
  std::string cause, remedy;
  /// The axis whose value is to blame; empty: none. A sweep over it has such rows on purpose, so they are no
  /// fault where another value did well.
  std::string axis{};
};

/// What makes one configuration simpler than another.
struct Simplicity {
  std::string axis;
  std::vector<std::string> words{};  ///< its values, simplest first; none: numbers, of which less is simpler
  bool more = false;                 ///< of numbers, more is simpler: few large chunks
};

/// A row to compare with: the metric is scale * its time / the row's time.
struct Reference {
  std::string metric;
  double scale = 1;
  std::function<std::optional<RowId>(const Row&)> row{};  ///< family and axes that it must have
};

/// A section of advice: a title, and lines from the family's rows that have a time. Families may share a
/// title.
struct Topic {
  std::string title{};
  std::function<std::vector<std::string>(const Rows&)> lines{};
};

/// All that is known of a family. Its functions may be empty; those of notes, hints, topics and rules get
/// rows that have a time.
struct FamilyReport {
  std::string name;
  /// Axes whose equal values mean the same job: one choice of advice.
  std::vector<std::string> work{};
  /// Axes whose values get a table of their own; by default those of `work`.
  std::optional<std::vector<std::string>> tables{};
  /// What a program without overlap does: the baseline of advice. Empty: nothing to advise.
  Axes plain{};
  /// The baseline of tables; by default `plain` without the axes that have tables of their own.
  std::optional<Axes> baseline{};
  /// What is simpler, what needs most code first; then a row that differs from `plain` in fewer axes, then
  /// smaller numbers.
  std::vector<Simplicity> simplicity{};
  /// On what condition a row may be advised, such as "if the CPU only writes it"; empty: on none; nothing:
  /// never, because what it is fast at is not all that is done with it.
  std::function<std::optional<std::string>(const Row&)> advised_if{};
  /// Of axes that were added late: what a row without them means.
  Axes defaults{};
  /// Axes whose equal values mean the same stage times; empty: rows have no stages.
  std::vector<std::string> data{};
  /// Rows with these values have a bound of their own kind.
  Axes other_bound{};
  /// Whether another thread than the one that computes submits the work.
  bool submits = true;

  std::vector<Column> columns{};
  std::vector<ChartSpec> charts{};
  std::vector<Reference> references{};
  /// A row of another family that is shown among this family's rows: its id there.
  std::function<std::optional<RowId>(const Row&)> guest{};

  /// Sentences under a table.
  std::function<std::vector<std::string>(const Rows&)> notes{};
  /// What to say of the best of `rows`, which do the same work.
  std::function<std::vector<std::string>(const Row& best, const Rows& rows)> hints{};
  /// What may bring a row closer to its bound.
  std::string remedy{};
  /// Why a row hid little; nothing where it hid enough, or was not meant to hide anything.
  std::function<std::optional<Cause>(const Row&, const Run&)> lost_because{};
  Topic topic{};
  std::vector<RuleCheck> rules{};

  /// `tables`, or `work` if that is not given.
  const std::vector<std::string>& table_axes() const { return tables ? *tables : work; }
  /// `baseline`, or what is usual if that is not given.
  Axes table_baseline() const;
};

using Families = std::vector<FamilyReport>;

/// The families given, and those that only the runs know. What is known already, from the list or from an
/// earlier run, stays as it is.
Families with_strangers(Families families, const std::vector<Run>& runs);

/// The family of that name; one that knows nothing if there is none.
const FamilyReport& find_family(const Families& families, std::string_view name);

/// Whether `a` is the simpler configuration of two that do the same work, by what the family says of it.
/// A strict order that does not depend on where rows stand in their file.
bool is_simpler(const Row& a, const Row& b, const FamilyReport& family);

/// What to call fewer, larger calls, on a row that the submitting thread paces.
std::string fewer_calls(const Row& row);

/// What is usual, with these families' own columns in their places.
std::vector<Metric> metrics_of(const std::vector<const FamilyReport*>& families);
std::vector<Metric> metrics_of(const Families& families);

/// Shows rows of other families as guests where rows of the same work are in the run: ahead of the first of
/// the family's own rows that has the same value of the first axis.
void add_guests(Run& run, const Families& families);

// What a gain is worth, whatever the family: neither figure is measured, both are what people would say.
inline constexpr double kWorthIt = 1.05;  ///< below, it is not worth a change of design
inline constexpr double kLittle = 1.02;   ///< below, nobody would call it a gain

// Causes that families share.

/// Whether the row says that it hid less than half of what it could.
bool hid_little(const Row& row);
/// Whether enqueuing takes as long as the work.
bool is_paced_by_submission(const Row& row);
/// Of what is_paced_by_submission() finds.
Cause paced_by_submission(const Row& row);
/// Of a device that copies in one direction at a time.
Cause one_copy_engine();
/// Where a family has no better answer.
Cause not_known();

}  // namespace overlap::report
