// Reading goes side by side, since most of a comparison's time is reading. Writing goes by way of a file
// beside the one that it replaces.
#include "files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "commands.hpp"
#include "families/families.hpp"
#include "judge/normal.hpp"

namespace overlap::report {
namespace {

/// Which file it is, by whatever name; nothing for what is no regular file, or not there.
std::optional<std::pair<dev_t, ino_t>> identity(const struct stat& about) {
  if (!S_ISREG(about.st_mode)) return std::nullopt;
  return std::pair(about.st_dev, about.st_ino);
}
std::optional<std::pair<dev_t, ino_t>> identity(const std::string& path, int standard) {
  struct stat about {};
  const bool is_standard = path.empty() || path == kStandard;
  if ((is_standard ? fstat(standard, &about) : stat(path.c_str(), &about)) != 0) return std::nullopt;
  return identity(about);
}

/// A run, or why there is none.
struct Reading {
  Run run;
  std::string refusal;
};

/// Reads one file. Whatever goes wrong is that file's refusal.
Reading read_one(const std::string& path, CutOff cut_off, const std::vector<std::string>& counters,
                 bool as_written) {
  Reading reading;
  try {
    reading.run = read_run(path, counters);
    if (const auto file = identity(path, STDIN_FILENO))
      reading.run.file = fmt::format("{}:{}", file->first, file->second);
    if (!as_written) normalise(reading.run, known_families());
    if (!reading.run.cut_off.empty() && cut_off == CutOff::refused)
      reading.refusal =
          fmt::format("{}: {}: --salvage takes them as they are, without those that are missing",
                      reading.run.path, reading.run.cut_off);
  } catch (const std::bad_alloc&) {
    reading.run = {};  // for what is left to do
    reading.refusal = input_name(path) + ": does not fit into memory";
  } catch (const std::exception& e) {
    reading.refusal = e.what();
  }
  return reading;
}

/// The file that a path leads to in the end, which links on the way only point at; nothing for the name of an
/// open file, such as /dev/stdout: there is no file of that name beside which another one could stand.
std::optional<std::filesystem::path> file_behind(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    const std::string text = std::filesystem::absolute(path, error).lexically_normal().string();
    if (text.starts_with("/dev/fd/") || text.starts_with("/proc/")) return std::nullopt;
    if (!std::filesystem::is_symlink(path, error)) return path;
    const std::filesystem::path to = std::filesystem::read_symlink(path, error);
    if (error) return std::nullopt;
    path = to.is_absolute() ? to : path.parent_path() / to;
  }
  return std::nullopt;
}

[[noreturn]] void cannot_write(const std::string& path) {
  throw UsageError("-o " + path + ": cannot write there: " + std::strerror(errno));
}

/// Writes all of it to an open file and waits for the disk. EINVAL of fsync means what has no disk. errno
/// says what went wrong. @return whether all of it was written.
bool write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/// Writes to what is there, whatever it is.
void write_directly(const std::string& text, const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) cannot_write(path);
  const bool written = write_all(file, text);
  const int reason = errno;
  if (close(file) == 0 && written) return;
  errno = written ? errno : reason;
  cannot_write(path);
}

/// Writes a file beside the one that it then replaces; the mode stays.
/// @return false if nobody may make one there: then the one that is there may still be written.
bool replace(const std::string& text, const std::filesystem::path& target, const std::string& path) {
  std::string temporary = (target.parent_path() / ".overlap-report-XXXXXX").string();
  const int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0 && (errno == EACCES || errno == EPERM || errno == EROFS)) return false;
  if (file < 0) cannot_write(path);
  struct stat before {};
  const mode_t mask = umask(0);
  umask(mask);
  const bool exists = stat(target.c_str(), &before) == 0;
  const mode_t mode = exists ? before.st_mode & 07777 : 0666 & ~mask;
  if (exists && fchown(file, before.st_uid, before.st_gid) != 0)
    errno = 0;  // somebody else's: ours from now on
  const bool written = write_all(file, text) && fchmod(file, mode) == 0;
  int reason = errno;
  const bool closed = close(file) == 0;
  if (written && !closed) reason = errno;
  if (written && closed && std::rename(temporary.c_str(), target.c_str()) == 0) return true;
  if (written && closed) reason = errno;
  unlink(temporary.c_str());
  errno = reason;
  cannot_write(path);
}

/// Warns if runs have rows of several threads whose times mean different things (same_thread_time()).
void warn_of_thread_times(const std::vector<Run>& runs) {
  std::vector<const Run*> all;
  for (const Run& run : runs)
    if (std::ranges::any_of(run.rows, [](const Row& row) { return row.threads() > 1; })) all.push_back(&run);
  const auto other =
      std::ranges::find_if(all, [&](const Run* run) { return !same_thread_time(*all[0], *run); });
  if (other == all.end()) return;
  const auto version = [](const Run& run) {
    const std::string text = run.about("library_version");
    return text.empty() ? "before 1.8.4" : text;
  };
  complain(fmt::format(
      "warning: {} is of Google Benchmark {} and {} of {}: versions before 1.9.0 divide the time of rows of "
      "several threads by their number, so that these cannot be compared",
      all[0]->path, version(*all[0]), (*other)->path, version(**other)));
}

}  // namespace

// As many threads as there are CPUs, this one among them, each with one file at a time. Where no more threads
// can be had, fewer do it.
std::vector<Run> read_runs(const std::vector<std::string>& files, CutOff cut_off,
                           const std::vector<std::string>& counters, bool as_written) {
  std::vector<Reading> all(files.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < files.size();)
      all[i] = read_one(files[i], cut_off, counters, as_written);
  };
  std::vector<std::jthread> helpers;
  const std::size_t cpus = std::max(1U, std::thread::hardware_concurrency());
  try {
    while (helpers.size() + 1 < std::min(cpus, files.size())) helpers.emplace_back(work);
  } catch (const std::system_error&) {
  }
  work();
  helpers.clear();
  std::vector<std::string> refusals;
  std::vector<Run> runs;
  for (Reading& reading : all) {
    if (!reading.refusal.empty()) {
      refusals.push_back(std::move(reading.refusal));
      continue;
    }
    for (const std::string& warning : reading.run.warnings)
      complain("warning: " + reading.run.path + ": " + warning);
    if (!reading.run.cut_off.empty()) complain("warning: " + reading.run.path + ": " + reading.run.cut_off);
    runs.push_back(std::move(reading.run));
  }
  if (refusals.size() == 1) throw InputError(refusals[0]);
  for (const std::string& refusal : refusals) complain(refusal);
  if (!refusals.empty())
    throw InputError(fmt::format("{} of {} files cannot be read", refusals.size(), files.size()));
  warn_of_thread_times(runs);
  return runs;
}

void keep_apart(const std::vector<std::string>& inputs, const std::string& output,
                const std::string& option) {
  if (std::ranges::count(inputs, kStandard) > 1)
    throw UsageError("- is standard input, which can be read once");
  const auto target = identity(output, STDOUT_FILENO);
  if (!target) return;
  for (const std::string& input : inputs)
    if (!input.empty() && identity(input, STDIN_FILENO) == target)
      throw UsageError(fmt::format("{} {}: is {}, which is read: write to another file", option,
                                   output.empty() ? "standard output" : output, input_name(input)));
}

// Where no file can be made beside, the one that is there is written as it is.
void write_output(const std::string& text, const std::string& path) {
  if (path.empty() || path == kStandard) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw UsageError("standard output takes no more");
    return;
  }
  std::error_code none;
  const auto target = file_behind(path);
  const bool is_file =
      target && (!std::filesystem::exists(*target, none) || std::filesystem::is_regular_file(*target, none));
  if (is_file && replace(text, *target, path)) return;
  write_directly(text, path);
}

}  // namespace overlap::report
