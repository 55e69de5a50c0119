// A line of JSON a run, appended in one write under a lock. A line that cannot be read, such as one that a
// crash cut off, is left out and said: the others are worth as much as before.
#include "read/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "names/context_keys.hpp"
#include "names/counters.hpp"
#include "read/instant.hpp"
#include "read/json.hpp"
#include "read/pattern.hpp"
#include "read/recognise.hpp"

namespace overlap::report {
namespace {

constexpr std::size_t kMostNamed = 5;  // lines that a warning names

/// @throws InputError that names the file.
[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(path + ": " + reason);
}

/// A run as a line. Rows keep their time and how it was sampled; all other counters stay in the run's own
/// file.
std::string line_of(const Run& run) {
  Json rows = Json::object();
  for (const Row& row : run.rows) {
    Json each =
        row.failed() ? Json::object({{"failure", row.failure}}) : Json::object({{"us", row.time_us()}});
    for (const char* name : {counter::kMinUs, counter::kCv, counter::kSamples, counter::kBatch})
      if (const auto value = row.counter(name); value && !row.failed()) each[name] = *value;
    rows.add(row.name(), std::move(each));
  }
  const Json json =
      Json::object({{"schema", "overlap-history-1"}, {"context", run.context}, {"rows", std::move(rows)}});
  return json.dump(-1) + "\n";
}

/// What it is that a file begins with, where something else was wanted.
std::string described_start(std::string_view text, Wanted wanted) {
  constexpr std::size_t kStart = 64 << 10;
  return described(text.substr(0, kStart), wanted);
}

/// The way back. Each row has one time, so the spread of its repetitions is not known.
/// @throws JsonError for anything that line_of() does not write.
Run run_of(const std::string& line) {
  const Json json = Json::parse(line);
  if (json.at("schema").text() != "overlap-history-1") throw JsonError("another schema", 0);
  Run run;
  for (const auto& [key, value] : json.at("context").members()) run.context[key] = value.text();
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
    run.rows.push_back(std::move(row));
  }
  tell_apart(run.rows);
  return run;
}

/// Whether a run equal to it is the same one: two without a date may be equal by chance.
bool can_be_told(const Run& run) { return !run.about(context::kDate).empty(); }

/// Whether a text is a store: nothing is in it, or a line of a store among whatever else, or the beginning
/// of the first one, which a crash cut off.
bool is_store(const std::string& text) {
  constexpr std::string_view kBegins = R"({"schema":"overlap-history-1")";
  std::istringstream in(text);
  std::string all;  // without spaces, as far as there is no line of a store
  for (std::string line; std::getline(in, line);) {
    std::string squeezed = line;
    std::erase_if(squeezed, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (squeezed.starts_with(kBegins)) return true;
    if (looks_like_store(line)) try {
        run_of(line);  // other programs may order its members otherwise
        return true;
      } catch (const std::exception&) {
      }
    if (all.size() < kBegins.size()) all += squeezed;
  }
  return kBegins.starts_with(all);
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
  /// Whether there is something to read: a pipe or a device has nothing.
  bool is_regular() const {
    struct stat status {};
    return fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
  }
  /// Writes all of it, though a write may take less, and waits until it is on the disk. EINVAL of fsync means
  /// a file that has no disk, such as a pipe. If that fails the file is as long again as it was.
  /// @throws InputError
  void append(const std::string& text) {
    size_ = lseek(file_, 0, SEEK_END);
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
    if (size_ >= 0 && ftruncate(file_, size_) != 0) complaint_ = "; its last line is torn";
    close(std::exchange(file_, -1));
    refuse(path_, fmt::format("cannot be {}: {}{}", what, reason, complaint_));
  }
  std::string path_, complaint_;
  int file_;
  off_t size_ = -1;  ///< before anything was appended; -1: nothing was, or it has none
};

/// Places of the runs of one machine and context class, oldest first: those of `like`, if there are any, else
/// those of the newest run.
std::vector<std::size_t> places_like(const Store& store, const Run* like) {
  std::vector<Run> all;  // without their rows
  for (const Run& run : store.runs)
    all.push_back({.path = run.path, .context = run.context, .rows = {}, .warnings = {}});
  if (like) all.push_back({.path = like->path, .context = like->context, .rows = {}, .warnings = {}});
  const std::vector<std::string> machines = machines_in(all);
  const std::vector<std::size_t> order = by_date(store.runs);
  const auto same_as = [&](std::size_t other) {
    std::vector<std::size_t> places;
    std::ranges::copy_if(order, std::back_inserter(places), [&](std::size_t place) {
      return machines[place] == machines[other] && context_class(all[place]) == context_class(all[other]);
    });
    return places;
  };
  std::vector<std::size_t> places;
  if (like) places = same_as(store.runs.size());
  if (places.empty() && !order.empty()) places = same_as(order.back());
  return places;
}

}  // namespace

// A line that cannot be read costs that line alone: whatever is thrown for it becomes a warning.
Store read_store(const std::string& path) {
  const std::string text = read_all(path);
  std::istringstream in(text);
  Store store;
  std::string line;
  std::vector<std::size_t> copies;
  std::unordered_set<std::string> known;
  std::size_t copy_count = 0;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    try {
      Run run = run_of(line);
      if (!known.insert(line_of(run)).second && can_be_told(run)) {
        if (copies.size() < kMostNamed) copies.push_back(number);
        ++copy_count;
        continue;
      }
      run.path = fmt::format("{}:{}", input_name(path), number);
      store.runs.push_back(std::move(run));
    } catch (const std::exception& e) {
      store.warnings.push_back(fmt::format("line {} left out: {}", number, e.what()));
    }
  }
  if (copy_count > 0)
    store.warnings.push_back(fmt::format("{} left out, whose runs the store has already: line {}{}",
                                         copy_count == 1 ? "1 line" : fmt::format("{} lines", copy_count),
                                         fmt::join(copies, ", "), copies.size() < copy_count ? ", ..." : ""));
  if (store.runs.empty() && !is_store(text)) refuse(input_name(path), described_start(text, Wanted::store));
  return store;
}

// The lock is held while the lines that are there are looked through: two writers of one run add it once.
std::vector<std::string> append_to_store(const std::string& path, const std::vector<Run>& runs) {
  LockedFile file(path);
  std::string old;  // as it is: what is not UTF-8 is not to be added to
  if (file.is_regular()) {
    std::ifstream in(path, std::ios::binary);
    old.assign(std::istreambuf_iterator<char>(in), {});
  }
  if (!is_store(old)) refuse(path, described_start(old, Wanted::store) + "; nothing was added");
  std::unordered_map<std::string, std::string> known;  // where each line is
  std::istringstream in(old);
  std::string each;
  for (std::size_t number = 1; std::getline(in, each); ++number) try {
      known.try_emplace(line_of(run_of(each)), fmt::format("line {} of {}", number, path));
    } catch (const std::exception&) {  // no run
    }
  std::string text;
  std::vector<std::string> said;
  for (const Run& run : runs) {
    std::string line = line_of(run);
    const auto [first, is_new] = known.try_emplace(line_of(run_of(line)), run.path);
    if (is_new || !can_be_told(run))
      text += line;
    else
      said.push_back(
          fmt::format("{} is the same run as {}, and was not added again", run.path, first->second));
  }
  if (!text.empty()) file.append(file.ends_in_a_line() ? text : "\n" + text);
  return said;
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

std::string context_unlike(const Run& run, const Run& other) {
  std::string text;
  for (const ContextKey& key : all_context_keys()) {
    const std::string value = run.about(key.name);
    if (key.agreement == Agreement::required && value != other.about(key.name))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key.name, value.empty() ? "not known" : value);
  }
  return text;
}

std::vector<std::string> machines_in(const std::vector<Run>& runs) {
  const auto place = [](const Run& run) {
    return std::tuple(run.about(context::kHostName), run.about(context::kGpu), run.about(context::kNumCpus));
  };
  std::map<decltype(place(runs.front())), std::set<std::string>> gpus;
  for (const Run& run : runs)
    if (const std::string uuid = run.about(context::kGpuUuid); !uuid.empty()) gpus[place(run)].insert(uuid);
  std::vector<std::string> machines;
  for (const Run& run : runs) {
    std::string machine = run.about(context::kGpuUuid);
    const auto others = gpus.find(place(run));
    const std::string host = run.about(context::kHostName), cpus = run.about(context::kNumCpus);
    if (machine.empty() && !host.empty() && others != gpus.end() && others->second.size() == 1)
      machine = *others->second.begin();
    if (machine.empty()) {
      machine = host;
      if (!cpus.empty()) machine += (host.empty() ? "" : ", ") + cpus + " CPUs";
    }
    machines.push_back(std::move(machine));
  }
  return machines;
}

std::vector<std::size_t> by_date(const std::vector<Run>& runs) {
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const Run& run : runs) {
    last = instant_of(run.about(context::kDate)).value_or(last);
    order.emplace_back(last, order.size());
  }
  std::ranges::sort(order);
  std::vector<std::size_t> places;
  for (const auto& [instant, place] : order) places.push_back(place);
  return places;
}

std::vector<Run> runs_of_commit(const Store& store, const std::string& commit, const Run* like) {
  std::vector<Run> runs;
  for (const std::size_t place : places_like(store, like))
    if (store.runs[place].about(context::kRevision) == commit) runs.push_back(store.runs[place]);
  return runs;
}

std::vector<Run> last_runs(const Store& store, std::size_t count, const Run* like) {
  const std::vector<std::size_t> places = places_like(store, like);
  std::vector<Run> runs;
  for (auto place = places.rbegin(); place != places.rend() && runs.size() < count; ++place)
    runs.push_back(store.runs[*place]);
  return runs;
}

std::vector<Acknowledgement> read_acknowledgements(const std::string& path) {
  constexpr const char* kSchema = "overlap-acknowledged-1";
  const std::string file = read_all(path);
  if (file.find(kSchema) == file.npos) refuse(path, described_start(file, Wanted::acknowledgements));
  std::vector<Acknowledgement> all;
  try {
    const Json json = Json::parse(file);
    if (json.at("schema").text() != kSchema) refuse(path, fmt::format("\"schema\" is not \"{}\"", kSchema));
    for (const Json& each : json.at("changes").elements()) {
      const auto text = [&each](const char* key) { return each.at(key).text(); };
      all.push_back(
          {each.find("commit") ? text("commit") : "", text("pattern"), text("reason"), text("until")});
      const Pattern check(all.back().pattern);
      // Dates are compared as text (history.cpp), which orders them if all are written in this one way.
      const std::string& until = all.back().until;
      if (const auto instant = instant_of(until); !instant || day_of(*instant) != until)
        refuse(path, fmt::format("changes[{}]: \"until\" is {}, and must be a date such as 2027-01-31",
                                 all.size() - 1, until.empty() ? "empty" : until));
    }
  } catch (const JsonError& e) {
    refuse(path,
           fmt::format("changes[{}] needs \"pattern\", \"reason\" and \"until\": {}", all.size(), e.what()));
  } catch (const std::invalid_argument& e) {
    refuse(path, fmt::format("changes[{}]: {}", all.size() - 1, e.what()));
  }
  return all;
}

}  // namespace overlap::report
