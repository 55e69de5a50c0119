// The library's parser hands over one event after the other, so a file of a hundred thousand rows is never
// held as a tree. The first of equal keys counts: the library writes its own fields ahead of counters.
#include "read/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "read/results.hpp"

namespace overlap::report {
namespace {

/// Takes the parser's events: context values and rows go out as they are complete, nothing else is kept.
class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  Handler(const std::string& path, const CleanText& text, const std::function<bool(std::string_view)>& keep,
          const std::function<void(Fields&&)>& row)
      : path_(path), text_(text), keep_(keep), row_(row) {}

  ParsedFile file;

  bool null() override { return keep_context({}), value({}); }
  bool boolean(bool flag) override { return keep_context(flag), value({Value::Kind::boolean, flag, 0}); }
  bool number_integer(number_integer_t v) override { return keep_context(v), number(static_cast<double>(v)); }
  bool number_unsigned(number_unsigned_t v) override {
    return keep_context(v), number(static_cast<double>(v));
  }
  bool number_float(number_float_t v, const string_t&) override { return keep_context(v), number(v); }
  bool string(string_t& text) override {
    if (in_context()) keep_context(text);
    return value({Value::Kind::text, false, 0, std::move(text)});
  }
  /// Text has no binary values; the interface asks for the function all the same.
  bool binary(binary_t&) override { return true; }
  bool key(string_t& key) override {
    if (depth_ == 1) root_key_ = key;
    key_ = std::move(key);
    return true;
  }
  /// An element of "benchmarks" begins a row. Its place is the file's, which the cleaner wrote down.
  bool start_object(std::size_t) override {
    if (in_rows()) fields_ = {{}, rows_ < text_.row_offsets.size() ? text_.row_offsets[rows_] : 0};
    if (depth_ == 1 && root_key_ == "context") file.has_context = true;
    if (in_context()) context_open_.emplace_back(key_, Json::object());
    return open();
  }
  bool start_array(std::size_t) override {
    if (depth_ == 1 && root_key_ == "benchmarks") file.has_benchmarks = true;
    if (in_rows()) refuse_element();
    if (in_context()) context_open_.emplace_back(key_, Json::array());
    return open();
  }
  bool end_object() override {
    --depth_;
    close_context();
    if (!in_rows()) return true;
    ++rows_;
    row_(std::move(fields_));
    return true;
  }
  bool end_array() override {
    --depth_;
    close_context();
    return true;
  }
  /// Says the library's reason without the position that it begins with: that one counts in the cleaned text,
  /// ours in the file. The library counts bytes from 1. An error behind the last byte is a file that ends too
  /// soon.
  /// @throws InputError always.
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    std::string reason = e.what();
    if (const auto at = reason.find("] "); at != std::string::npos) reason = reason.substr(at + 2);
    const std::size_t offset = text_.original_offset(position > 0 ? position - 1 : 0);
    if (position > text_.json.size())
      reason = "the file is cut off: the run that made it did not finish (" + reason + ")";
    throw InputError(fmt::format("{}: offset {}: {}", path_, offset, reason));
  }

 private:
  /// Whether what comes is an element of "benchmarks".
  bool in_rows() const { return depth_ == 2 && root_key_ == "benchmarks" && file.has_benchmarks; }
  /// Whether what comes belongs into the context.
  bool in_context() const { return depth_ >= 2 && root_key_ == "context"; }
  /// Takes a value of the context over as it is. Of equal keys the first counts.
  void keep_context(Json v) {
    if (!in_context()) return;
    Json& into = context_open_.empty() ? file.written_context : context_open_.back().second;
    if (into.is_array())
      into.push_back(std::move(v));
    else if (!into.find(key_))
      into.add(key_, std::move(v));
  }
  /// Puts an object or an array of the context, which is complete, into the one that it stands in.
  void close_context() {
    if (!in_context() || context_open_.empty()) return;
    Json complete = std::move(context_open_.back().second);
    key_ = std::move(context_open_.back().first);
    context_open_.pop_back();
    keep_context(std::move(complete));
  }
  /// Goes a level deeper. What a row has for an object or an array is kept as `nested`, unread.
  bool open() {
    if (depth_ == 3 && root_key_ == "benchmarks") store(fields_.values, {Value::Kind::nested});
    ++depth_;
    return true;
  }
  /// Whole numbers become doubles like all others: above 2^53 they lose their last digits.
  bool number(double v) { return value({Value::Kind::number, false, v}); }
  /// @throws InputError with the index of the element. Every element has to be an object.
  [[noreturn]] void refuse_element() {
    throw InputError(fmt::format("{}: benchmarks[{}] is no object", path_, rows_));
  }

  /// Keeps a value of a row or of the context. Values of objects within them are dropped.
  bool value(Value&& v) {
    if (in_rows()) refuse_element();
    if (depth_ == 3 && root_key_ == "benchmarks")
      store(fields_.values, std::move(v));
    else if (depth_ == 2 && root_key_ == "context")
      store(context_, std::move(v));
    return true;
  }
  /// Keeps the value under the last key, unless the object has that key: then it is counted as a duplicate.
  /// Of rows only what `keep_` wants is kept. Of the context text, numbers and flags become text; null is as
  /// good as absent.
  void store(std::vector<std::pair<std::string, Value>>& into, Value&& v) {
    if (&into != &context_ && !keep_(key_)) return;
    if (std::ranges::find(into, key_, &std::pair<std::string, Value>::first) != into.end()) {
      if (file.duplicates++ == 0) file.first_duplicate = key_;
      return;
    }
    if (&into == &context_ && v.kind == Value::Kind::text) file.context[key_] = v.text;
    if (&into == &context_ && v.kind == Value::Kind::number) file.context[key_] = fmt::format("{}", v.number);
    if (&into == &context_ && v.kind == Value::Kind::boolean) file.context[key_] = v.flag ? "true" : "false";
    into.emplace_back(key_, std::move(v));
  }

  const std::string& path_;
  const CleanText& text_;
  const std::function<bool(std::string_view)>& keep_;
  const std::function<void(Fields&&)>& row_;
  /// Open brackets: 1 within the root, 2 within "benchmarks" or "context", 3 within a row.
  std::size_t depth_ = 0;
  std::size_t rows_ = 0;
  std::string root_key_, key_;
  Fields fields_;
  std::vector<std::pair<std::string, Value>> context_;
  std::vector<std::pair<std::string, Json>> context_open_;  ///< objects and arrays in it, by their keys
};

}  // namespace

ParsedFile parse_fields(const CleanText& text, const std::string& path,
                        const std::function<bool(std::string_view key)>& keep,
                        const std::function<void(Fields&&)>& row) {
  Handler handler(path, text, keep, row);
  nlohmann::json::sax_parse(text.json, &handler);
  return std::move(handler.file);
}

}  // namespace overlap::report
