// A finding arranged for readers, before any format lays it out: what findings.hpp makes and render.hpp
// writes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/chart.hpp"

namespace overlap::report {

/// How a cell or a document is to be taken; none says nothing, neutral that nothing can be said.
enum class Mark { none, good, bad, neutral };

/// A cell of a table.
struct Field {
  std::string text;             ///< as people read it
  std::optional<double> value;  ///< as programs read it, and what the column is sorted by
  Mark mark = Mark::none;

  Field(std::string shown = "", std::optional<double> number = std::nullopt, Mark marked = Mark::none)
      : text(std::move(shown)), value(number), mark(marked) {}
};

/// A table with what belongs to it; without columns, a list of notes.
struct Section {
  /// How a terminal sets it off: a table after an empty line, a part of the document in capitals, an entry
  /// of a list right below the last one.
  enum class Kind { table, part, entry };
  /// Its cells are the fields at the same place in each row.
  struct Column {
    std::string head;
    bool number = false;  ///< lines up on the right
  };
  struct Line {
    std::vector<Field> fields;        ///< one per column
    std::string failure{};            ///< why there is nothing to show
    bool quiet = false;               ///< only pages and CSV show it: nobody has to act
    std::vector<std::string> told{};  ///< how a terminal shows it instead, where columns would be too wide
  };

  Kind kind = Kind::table;
  std::string title{};
  std::string lead{};  ///< a sentence on what it shows
  std::vector<Column> columns{};
  std::vector<Line> rows{};
  std::vector<std::string> notes{};  ///< what the rows say together
  std::vector<Chart> charts{};

  /// Whether nothing of it has to be read: it has rows, and all are quiet.
  bool quiet() const;
};

/// Where a run was made.
struct Machine {
  std::string title;                                         ///< in a line
  std::vector<std::pair<std::string, std::string>> facts{};  ///< its whole context
};

/// What a command has to show, in the order of a page; a terminal shows the summary last.
struct Document {
  std::string title;
  Mark mark = Mark::none;  ///< what it comes to, if anything was judged
  std::string summary{};   ///< in a line; a terminal shows it last, where one looks
  std::vector<std::string> lead{};
  std::vector<Machine> machines{};
  std::vector<Section> sections{};
  std::vector<std::string> legend{};  ///< what marks such as * mean
  bool is_comment = false;            ///< its Markdown has to fit where GitHub takes comments
};

}  // namespace overlap::report
