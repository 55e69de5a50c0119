#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "judge/history.hpp"
#include "judge/verdict.hpp"

namespace overlap::report {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(path + ": " + reason);
}

std::string line_of(const Run& run) {
  Json rows = Json::object();
  for (const Row& row : run.rows) {
    if (row.failed()) {
      rows[row.name + row.mode] = {{"failure", row.failure}};
      continue;
    }
    Json each = {{"us", row.time_us()}};
    for (const char* name : {"min_us", "cv", "samples", "batch"})
      if (const auto value = row.counter(name)) each[name] = *value;
    rows[row.name + row.mode] = std::move(each);
  }
  const Json json = {{"schema", "overlap-history-1"}, {"context", run.context}, {"rows", std::move(rows)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Run run_of(const std::string& line) {
  const Json json = Json::parse(line);
  if (json.at("schema") != "overlap-history-1") throw std::runtime_error("another schema");
  Run run;
  for (const auto& [key, value] : json.at("context").items()) run.context[key] = value.get<std::string>();
  for (const auto& [name, value] : json.at("rows").items()) {
    Row row;
    row.name = name;
    if (value.contains("failure")) {
      row.failure = value.at("failure").get<std::string>();
    } else {
      row.times_us = {value.at("us").get<double>()};
      for (const auto& [key, number] : value.items())
        if (key != "us") row.counters.emplace_back(key, number.get<double>());
    }
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

  bool ends_in_a_line() const {
    char last = '\n';
    const off_t size = lseek(file_, 0, SEEK_END);
    return size <= 0 || pread(file_, &last, 1, size - 1) != 1 || last == '\n';
  }
  void append(const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = write(file_, text.data() + done, text.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail("written");
      done += static_cast<std::size_t>(written);
    }
    if (fsync(file_) != 0 && errno != EINVAL) fail("written to the end");
  }

 private:
  [[noreturn]] void fail(const char* what) {
    const std::string reason = std::strerror(errno);
    close(std::exchange(file_, -1));
    refuse(path_, fmt::format("cannot be {}: {}", what, reason));
  }
  std::string path_;
  int file_;
};

}  // namespace

Store read_store(const std::string& path) {
  std::ifstream in(path);
  if (!in) refuse(path, std::string("cannot be opened: ") + std::strerror(errno));
  Store store;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
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
  file.append(file.ends_in_a_line() ? text : "\n" + text);
}

std::string context_class(const Run& run) {
  std::string text;
  for (const char* key : kComparableContext)
    if (const std::string value = run.about(key); !value.empty()) text += (text.empty() ? "" : ", ") + value;
  return text;
}

std::vector<Run> runs_of_commit(const Store& store, const std::string& commit) {
  std::vector<Run> runs;
  std::ranges::copy_if(store.runs, std::back_inserter(runs), [&](const Run& run) {
    return run.about("revision") == commit && context_class(run) == context_class(store.runs.back());
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
  std::ifstream in(path);
  if (!in) refuse(path, std::string("cannot be opened: ") + std::strerror(errno));
  std::vector<Acknowledgement> all;
  try {
    const Json json = Json::parse(in);
    if (json.at("schema") != "overlap-acknowledged-1")
      refuse(path, "\"schema\" is not \"overlap-acknowledged-1\"");
    for (const Json& each : json.at("changes")) {
      all.push_back({each.at("commit"), each.at("pattern"), each.at("reason"), each.at("until")});
      const std::regex check(all.back().pattern, std::regex::extended);
      if (!std::regex_match(all.back().until, std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2}")))
        refuse(path, fmt::format("changes[{}]: \"until\" must be a date such as 2027-01-31", all.size() - 1));
    }
  } catch (const Json::exception& e) {
    refuse(path, fmt::format("changes[{}] needs \"commit\", \"pattern\", \"reason\" and \"until\": {}",
                             all.size(), e.what()));
  } catch (const std::regex_error& e) {
    refuse(path, fmt::format("changes[{}]: '{}' is no regular expression: {}", all.size() - 1,
                             all.back().pattern, e.what()));
  }
  return all;
}

}  // namespace overlap::report
