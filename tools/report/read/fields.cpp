// Most files begin with the run and are read once, piece by piece. Where something else comes first, the
// whole file is held and the run looked for: logs may have braces of their own, and JSON of their own.
#include "read/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "read/recognise.hpp"

namespace overlap::report {
namespace {

/// What an object at the root turned out to be.
enum class Root { run, other, broken };

/// Reads one run.
class RunParser {
 public:
  RunParser(Bytes& bytes, const std::string& path, const std::function<bool(std::string_view)>& keep,
            const std::function<void(const Fields&)>& row)
      : path_(path), text_(bytes), keep_(keep), row_(row) {}

  ParsedFile parse() {
    text_.peek();
    if (is_certain(text_.held())) throw InputError(path_ + ": " + described(text_.held(), Wanted::run));
    if (!begins_run(text_.held(), text_.offset() - text_.mark())) text_.hold_all();
    const std::string start(text_.held().substr(0, kKnownBy));
    const Root root = find_run();
    if (root == Root::other) refuse_other(start);
    if (root == Root::broken) end_broken();
    if (file_.cut_off.empty()) check_rest();
    if (!has_context_ && is_known(start)) refuse_other(start);
    if (!has_context_ && file_.cut_off.empty())
      refuse(0, "has no \"context\" object: is it a list of names instead of a run?");
    if (!has_context_) file_.cut_off += "; without its context, which stood behind the rows";
    if (is_in_context_) file_.cut_off += "; without the rest of its context";
    finish_warnings();
    return std::move(file_);
  }

 private:
  /// Bytes by which files of other kinds are known.
  static constexpr std::size_t kKnownBy = 1 << 16;

  [[noreturn]] void refuse(std::size_t offset, const std::string& reason) const {
    throw InputError(fmt::format("{}: offset {}: {}", path_, offset, reason));
  }

  /// Whether an object at `at` has the first key of a run. The library writes the context first, tools that
  /// sort keys "benchmarks".
  static bool begins_run(std::string_view text, std::size_t at) {
    if (at >= text.size() || text[at] != '{') return false;
    const auto next = [&](std::string_view word) {
      while (at < text.size() && is_blank(text[at])) ++at;
      if (!text.substr(at).starts_with(word)) return false;
      at += word.size();
      return true;
    };
    ++at;
    return next("\"context\"") ? next(":") && next("{") : next("\"benchmarks\"") && next(":") && next("[");
  }
  /// The next place from `at` on that begins_run(); npos if there is none.
  static std::size_t next_run(std::string_view text, std::size_t at) {
    while ((at = text.find('{', at)) != std::string_view::npos && !begins_run(text, at)) ++at;
    return at;
  }
  /// The next line from `at` on that begins with a brace; npos if there is none.
  static std::size_t next_object(std::string_view text, std::size_t at) {
    for (bool is_begin = at == 0; at < text.size(); ++at) {
      if (text[at] == '{' && is_begin) return at;
      is_begin = text[at] == '\n' || (is_begin && is_blank(text[at]));
    }
    return std::string_view::npos;
  }

  /// Objects of a log are passed over one by one. Behind what only begins like one, a run is known by its
  /// first key alone: trying at every brace would take the square of the file's length.
  Root find_run() {
    std::size_t at = text_.offset() - text_.mark();
    if (begins_run(text_.held(), at)) {
      const Root found = root();
      if (found != Root::other || !text_.holds_beginning()) return found;
      text_.hold_all();
    }
    bool is_certain = false;
    for (at = next_object(text_.held(), 0); at != std::string_view::npos;) {
      text_.seek(at);
      const Root found = root();
      if (found == Root::run || (found == Root::broken && (has_rows_ || has_context_))) {
        if (at > 0) text_.note("text before the JSON left out", text_.mark());
        return found;
      }
      is_certain = is_certain || found == Root::broken;
      at = is_certain ? next_run(text_.held(), at + 1)
                      : next_object(text_.held(), text_.offset() - text_.mark());
    }
    at = next_run(text_.held(), 0);
    if (at == std::string_view::npos || is_certain) return Root::other;
    text_.seek(at);
    const Root found = root();
    if (found != Root::other) text_.note("text before the JSON left out", text_.mark());
    return found;
  }

  /// Reads the object that stands here. A broken one leaves its error behind.
  Root root() {
    has_context_ = has_rows_ = is_in_context_ = false;
    file_ = {};
    try {
      text_.expect('{', "");
      if (text_.peek() == '}') return text_.expect('}', ""), Root::other;
      std::string key;
      Value value;
      do {
        text_.key(key);
        const int next = text_.peek();
        if (key == "context" && next == '{' && !has_context_)
          context();
        else if (key == "benchmarks" && next == '[' && !has_rows_)
          rows();
        else
          pass_over(key, value);
      } while (text_.another('}'));
    } catch (const TextError& e) {
      error_ = e;
      return Root::broken;
    }
    return has_rows_ ? Root::run : Root::other;
  }

  /// A member of the root that is not of a run, or is there a second time.
  void pass_over(const std::string& key, Value& value) {
    if ((key == "context" && has_context_) || (key == "benchmarks" && has_rows_))
      if (duplicates_++ == 0) first_duplicate_ = key;
    text_.value(value);
  }

  /// null is as good as absent. Whole numbers are written as such.
  void context() {
    has_context_ = true;
    text_.expect('{', "");
    if (text_.peek() == '}') return text_.expect('}', "");
    is_in_context_ = true;
    std::string key;
    Value value;
    do {
      text_.key(key);
      std::string raw = text_.raw_value(value);
      if (std::ranges::find(file_.context_json, key, &std::pair<std::string, std::string>::first) !=
          file_.context_json.end()) {
        if (duplicates_++ == 0) first_duplicate_ = key;
        continue;
      }
      if (value.kind == Value::Kind::text) file_.context[key] = value.text;
      if (value.kind == Value::Kind::number) file_.context[key] = fmt::format("{}", value.number);
      if (value.kind == Value::Kind::boolean) file_.context[key] = value.flag ? "true" : "false";
      file_.context_json.emplace_back(key, std::move(raw));
    } while (text_.another('}'));
    is_in_context_ = false;
  }

  /// @throws InputError if an element is no object.
  void rows() {
    has_rows_ = true;
    text_.expect('[', "");
    if (text_.peek() == ']') return text_.expect(']', "");
    do {
      const int next = text_.peek();
      if (next >= 0 && next != '{' && next != ']' && next != '}')
        throw InputError(fmt::format("{}: benchmarks[{}] is no object", path_, file_.rows));
      fields_.clear();
      fields_.offset = text_.offset();
      text_.expect('{', "");
      if (text_.peek() == '}')
        text_.expect('}', "");
      else
        members();
      if (const std::size_t dropped = fields_.drop_duplicates(duplicate_); dropped > 0) {
        if (duplicates_ == 0) first_duplicate_ = duplicate_;
        duplicates_ += dropped;
      }
      row_(fields_);
      ++file_.rows;
    } while (text_.another(']'));
  }
  /// Those of a row.
  void members() {
    do {
      auto& [key, value] = fields_.add();
      text_.key(key);
      text_.value(value);
      if (!keep_(key)) fields_.drop();
    } while (text_.another('}'));
  }

  /// The run's JSON is broken. Where no row follows, what is there is complete: the program stopped, and
  /// perhaps something else was printed behind.
  void end_broken() {
    if (!error_.at_end && (file_.rows == 0 || rest_is_json())) refuse(error_.offset, broken_reason());
    if (file_.rows == 0)
      refuse(error_.offset, fmt::format("the file is cut off before its first row was complete ({}): the run "
                                        "that made it did not finish",
                                        error_.what()));
    file_.cut_off = fmt::format("offset {}: the file is cut off: the run that made it did not finish ({})",
                                error_.offset, error_.what());
  }
  /// What is wrong, and what is the likely cause where rows follow.
  std::string broken_reason() const {
    return fmt::format(
        "{}. If the program prints to standard output too, have it write its results to a file of their own: "
        "--benchmark_out=FILE --benchmark_out_format=json",
        error_.what());
  }

  /// Whether the file goes on as the JSON of a run does: with another row, or with the end of the last.
  bool rest_is_json() {
    if (rest_has("\"real_time\"")) return true;
    const std::string_view rest = text_.rest();
    for (std::size_t at = 0; (at = rest.find('}', at)) != std::string_view::npos;) {
      while (++at < rest.size() && is_blank(rest[at])) {
      }
      if (at < rest.size() && rest[at] == ']') return true;
    }
    return false;
  }
  /// Whether the rest of the file has this text. Reads all of it.
  bool rest_has(std::string_view wanted) {
    text_.hold_all();
    return text_.rest().find(wanted) != std::string_view::npos;
  }

  /// What follows the run. Another run there is refused, other text is left out.
  void check_rest() {
    if (text_.peek() < 0) return;
    const std::size_t at = text_.offset();
    if (rest_has("\"benchmarks\""))
      refuse(at, "a second run follows the first: put each in a file of its own");
    text_.note("text after the JSON left out", at);
  }

  /// There is no run. Says what there is instead.
  [[noreturn]] void refuse_other(const std::string& start) const {
    const std::size_t begin = text_.mark();
    if (start.empty()) refuse(begin, "is empty: the run that made it wrote nothing");
    if (std::ranges::all_of(start, is_blank)) refuse(begin, "holds nothing but white space");
    if (error_.at_end && !is_known(start))
      refuse(error_.offset,
             "the file is cut off before its first row was complete: the run that made it did "
             "not finish");
    throw InputError(path_ + ": " + described(start, Wanted::run));
  }

  void finish_warnings() {
    file_.warnings = text_.warnings();
    if (duplicates_ > 0)
      file_.warnings.push_back(fmt::format("fields that are there twice: {}, such as '{}'; the first counts",
                                           duplicates_, first_duplicate_));
  }

  const std::string& path_;
  JsonText text_;
  const std::function<bool(std::string_view)>& keep_;
  const std::function<void(const Fields&)>& row_;
  ParsedFile file_;
  Fields fields_;
  TextError error_{0, ""};
  bool has_context_ = false, has_rows_ = false, is_in_context_ = false;
  std::size_t duplicates_ = 0;
  std::string first_duplicate_, duplicate_;
};

}  // namespace

const Value* Fields::find(std::string_view key) const {
  for (std::size_t i = 0; i < used_; ++i)
    if (all_[i].first == key) return &all_[i].second;
  return nullptr;
}

std::string_view Fields::text(std::string_view key) const {
  const Value* value = find(key);
  return value && value->kind == Value::Kind::text ? std::string_view(value->text) : "";
}

std::optional<double> Fields::number(std::string_view key) const {
  const Value* value = find(key);
  return value && value->kind == Value::Kind::number ? std::optional(value->number) : std::nullopt;
}

bool Fields::flag(std::string_view key) const {
  const Value* value = find(key);
  return value && value->kind == Value::Kind::boolean && value->flag;
}

std::pair<std::string, Value>& Fields::add() {
  if (used_ == all_.size()) all_.emplace_back();
  return all_[used_++];
}

// In the order of their keys, equal ones side by side and the first ahead: no row is so long that this hangs.
std::size_t Fields::drop_duplicates(std::string& first) {
  const auto is_taken = [this](std::size_t i) {
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      if (all_[earlier].first == all_[i].first) return true;
    return false;
  };
  constexpr std::size_t kFew = 64;
  std::vector<bool> later(used_);
  if (used_ <= kFew) {
    for (std::size_t i = 1; i < used_; ++i) later[i] = is_taken(i);
  } else {
    std::vector<std::size_t> order(used_);
    for (std::size_t i = 0; i < used_; ++i) order[i] = i;
    std::ranges::stable_sort(order, {},
                             [this](std::size_t i) -> const std::string& { return all_[i].first; });
    for (std::size_t i = 1; i < used_; ++i)
      later[order[i]] = all_[order[i]].first == all_[order[i - 1]].first;
  }
  std::size_t kept = 0, dropped = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    if (later[i]) {
      if (dropped++ == 0) first = all_[i].first;
      continue;
    }
    if (kept != i) std::swap(all_[kept], all_[i]);
    ++kept;
  }
  used_ = kept;
  return dropped;
}

ParsedFile parse_fields(Bytes& bytes, const std::string& path,
                        const std::function<bool(std::string_view key)>& keep,
                        const std::function<void(const Fields&)>& row) {
  return RunParser(bytes, path, keep, row).parse();
}

}  // namespace overlap::report
