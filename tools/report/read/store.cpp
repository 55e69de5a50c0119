// A line of JSON a run, appended in one write under a lock. A line that cannot be read, such as one that a
// crash cut off, is left out and said: the others are worth as much as before.
#include "read/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <regex>
#include <sstream>
#include <utility>

#include "names/context_keys.hpp"
#include "names/counters.hpp"
#include "read/json.hpp"
#include "read/json_text.hpp"
#include "read/recognise.hpp"

namespace overlap::report {
namespace {

/// @throws InputError that names the file.
[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(path + ": " + reason);
}

/// A run as a line. Rows keep their time and how it was sampled; all other counters stay in the run's own
/// file.
std::string line_of(const Run& run) {
  Json rows = Json::object();
  const bool our_context = is_our_context(run.context);
  for (const Row& row : run.rows) {
    Json each =
        row.failed() ? Json::object({{"failure", row.failure}}) : Json::object({{"us", row.time_us()}});
    for (const char* name : {counter::kMinUs, counter::kCv, counter::kSamples, counter::kBatch})
      if (const auto value = row.counter(name); value && !row.failed()) each[name] = *value;
    if (row.ours && !our_context && !row.failed()) each[counter::kOurs] = 1;
    rows.add(row.name(), std::move(each));
  }
  const Json json =
      Json::object({{"schema", "overlap-history-1"}, {"context", run.context}, {"rows", std::move(rows)}});
  return json.dump(-1) + "\n";
}

/// The way back. Each row has one time, so the spread of its repetitions is not known.
/// @throws JsonError for anything that line_of() does not write.
Run run_of(const std::string& line) {
  const Json json = Json::parse(line);
  if (json.at("schema").text() != "overlap-history-1") throw JsonError("another schema", 0);
  Run run;
  for (const auto& [key, value] : json.at("context").members()) run.context[key] = value.text();
  const bool our_context = is_our_context(run.context);
  for (const auto& [name, value] : json.at("rows").members()) {
    Row row;
    row.id = parse_row_id(name);  // older stores have "/manual_time" at the end
    if (const Json* failure = value.find("failure")) {
      row.failure = failure->text();
    } else {
      row.times_us = {value.at("us").number()};
      for (const auto& [key, number] : value.members())
        if (key != "us") row.counters.emplace_back(key, number.number());
    }
    row.ours = our_context || row.any_counter(counter::kOurs) == 1;
    run.rows.push_back(std::move(row));
  }
  return run;
}

/// An open file; closing it lets go of its lock.
class LockedFile {
 public:
  explicit LockedFile(const std::string& path)
      : path_(path), file_(open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ < 0) refuse(path, std::string("cannot be written: ") + std::strerror(errno));
    if (flock(file_, LOCK_EX) != 0) fail("locked");
  }
  ~LockedFile() {
    if (file_ >= 0) close(file_);
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  /// Whether the next line can follow at once: it cannot where a writer was stopped in the middle of one.
  /// True of an empty file.
  bool ends_in_a_line() const {
    char last = '\n';
    const off_t size = lseek(file_, 0, SEEK_END);
    return size <= 0 || pread(file_, &last, 1, size - 1) != 1 || last == '\n';
  }
  /// What it holds, of which some 64 KiB are enough to know it by.
  std::string beginning() const {
    std::string text(1 << 16, '\0');
    const ssize_t read = pread(file_, text.data(), text.size(), 0);
    text.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
    return text;
  }
  /// Writes all of it, though a write may take less, and waits until it is on the disk. What a full disk took
  /// of it is taken back. EINVAL of fsync means a file that has no disk, such as a pipe.
  /// @throws InputError
  void append(const std::string& text) {
    before_ = lseek(file_, 0, SEEK_END);
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = write(file_, text.data() + done, text.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail("written");
      done += static_cast<std::size_t>(written);
    }
    if (fsync(file_) != 0 && errno != EINVAL) fail("written to the end");
  }

 private:
  /// Closes the file before it throws: a constructor that throws has no destructor run.
  [[noreturn]] void fail(const char* what) {
    const std::string reason = std::strerror(errno);
    if (before_ >= 0 && ftruncate(file_, before_) != 0) before_ = -1;  // it stays a line that was cut off
    close(std::exchange(file_, -1));
    refuse(path_, fmt::format("cannot be {}: {}", what, reason));
  }
  std::string path_;
  int file_;
  off_t before_ = -1;  ///< its size before something was appended
};

/// Whether a text is empty, or has a line of a store, whole or cut off.
bool may_be_store(std::string_view text) {
  constexpr std::string_view kBegin = R"({"schema":"overlap-history-1")";
  const auto first = std::ranges::find_if_not(text, is_blank);
  return first == text.end() || text.find("overlap-history-1") != std::string_view::npos ||
         kBegin.starts_with(text.substr(static_cast<std::size_t>(first - text.begin()),
                                        text.find_last_not_of(" \t\r\n") + 1));
}

}  // namespace

// A line that cannot be read costs that line alone: whatever is thrown for it becomes a warning.
Store read_store(const std::string& path) {
  const std::string text = read_all(path);
  if (!may_be_store(text)) refuse(input_name(path), described(text, Wanted::store));
  Store store;
  std::istringstream in(text);
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (std::ranges::all_of(line, is_blank)) continue;
    try {
      store.runs.push_back(run_of(line));
      store.runs.back().path = fmt::format("{}:{}", path, number);
    } catch (const std::exception& e) {
      store.warnings.push_back(fmt::format("line {} left out: {}", number, e.what()));
    }
  }
  return store;
}

void append_to_store(const std::string& path, const std::vector<Run>& runs) {
  std::string text;
  for (const Run& run : runs) text += line_of(run);
  LockedFile file(path);
  if (const std::string start = file.beginning(); !may_be_store(start))
    refuse(path, described(start, Wanted::store));
  file.append(file.ends_in_a_line() ? text : "\n" + text);
}

// Only keys that must agree: two runs whose noted keys differ belong to one series.
std::string context_class(const Run& run) {
  std::string text;
  for (const ContextKey& key : all_context_keys()) {
    const std::string value = key.agreement == Agreement::required ? run.about(key.name) : "";
    if (!value.empty()) text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

std::vector<Run> runs_of_commit(const Store& store, const std::string& commit) {
  std::vector<Run> runs;
  std::ranges::copy_if(store.runs, std::back_inserter(runs), [&](const Run& run) {
    return run.about(context::kRevision) == commit && context_class(run) == context_class(store.runs.back());
  });
  return runs;
}

std::vector<Run> last_runs(const Store& store, std::size_t count) {
  std::vector<Run> runs;
  for (auto run = store.runs.rbegin(); run != store.runs.rend() && runs.size() < count; ++run)
    if (context_class(*run) == context_class(store.runs.back())) runs.push_back(*run);
  return runs;
}

std::vector<Acknowledgement> read_acknowledgements(const std::string& path) {
  const std::string text = read_all(path);
  const std::string name = input_name(path);
  if (text.find("overlap-acknowledged-1") == std::string::npos)
    refuse(name, described(text, Wanted::acknowledgements));
  // Dates are compared as text (history.cpp), which orders them if all are written in this one way.
  static const std::regex date("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  std::vector<Acknowledgement> all;
  try {
    const Json json = Json::parse(text);
    if (json.at("schema").text() != "overlap-acknowledged-1")
      refuse(path, "\"schema\" is not \"overlap-acknowledged-1\"");
    for (const Json& each : json.at("changes").elements()) {
      const auto word = [&each](const char* key) { return each.at(key).text(); };
      all.push_back({word("commit"), word("pattern"), word("reason"), word("until")});
      const std::regex check(all.back().pattern, std::regex::extended);
      if (!std::regex_match(all.back().until, date))
        refuse(path, fmt::format("changes[{}]: \"until\" must be a date such as 2027-01-31", all.size() - 1));
    }
  } catch (const JsonError& e) {
    refuse(path, fmt::format("changes[{}] needs \"commit\", \"pattern\", \"reason\" and \"until\": {}",
                             all.size(), e.what()));
  } catch (const std::regex_error& e) {
    refuse(path, fmt::format("changes[{}]: '{}' is no regular expression: {}", all.size() - 1,
                             all.back().pattern, e.what()));
  }
  return all;
}

}  // namespace overlap::report
