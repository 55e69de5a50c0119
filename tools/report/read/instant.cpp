// A date is read from left to right, a field after the other.
#include "read/instant.hpp"

#include <fmt/format.h>

#include <chrono>

namespace overlap::report {
namespace {

/// The text, and how far it has been read.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool is_done() const { return text_.empty(); }
  /// Takes one of these characters. @return it, or 0 if another one or none comes.
  char take(std::string_view any) {
    if (text_.empty() || any.find(text_.front()) == any.npos) return 0;
    const char taken = text_.front();
    text_.remove_prefix(1);
    return taken;
  }
  /// Takes a number of exactly so many digits, from `least` to `most`.
  std::optional<int> number(std::size_t digits, int least, int most) {
    int value = 0;
    if (text_.size() < digits) return std::nullopt;
    for (const char c : text_.substr(0, digits)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = 10 * value + (c - '0');
    }
    if (value < least || value > most) return std::nullopt;
    text_.remove_prefix(digits);
    return value;
  }

 private:
  std::string_view text_;
};

/// Takes "Z", "+01:00", "+0100" or "+01", after a space or at once.
/// @return seconds east of Greenwich, 0 if there is no offset; nothing for another ending.
std::optional<int> offset_in(Reader& reader) {
  reader.take(" ");
  if (reader.is_done() || reader.take("Zz")) return 0;
  const char sign = reader.take("+-");
  const auto hours = reader.number(2, 0, 23);
  if (!sign || !hours) return std::nullopt;
  std::optional<int> minutes = 0;
  if (reader.take(":") || !reader.is_done()) minutes = reader.number(2, 0, 59);
  if (!minutes) return std::nullopt;
  return (sign == '-' ? -1 : 1) * (*hours * 3600 + *minutes * 60);
}

}  // namespace

std::optional<std::int64_t> instant_of(std::string_view text) {
  Reader reader(text);
  const auto year = reader.number(4, 1970, 9999);
  const char dash = reader.take("-/");
  const auto month = reader.number(2, 1, 12);
  if (!year || !dash || !month || reader.take("-/") != dash) return std::nullopt;
  const auto day = reader.number(2, 1, 31);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  std::int64_t seconds = std::int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86400;
  if (reader.is_done()) return seconds;
  if (!reader.take("Tt -")) return std::nullopt;
  const auto hour = reader.number(2, 0, 23);
  const bool has_minutes = reader.take(":") != 0;
  const auto minute = reader.number(2, 0, 59);
  if (!hour || !has_minutes || !minute) return std::nullopt;
  seconds += *hour * 3600 + *minute * 60;
  if (reader.take(":")) {
    const auto second = reader.number(2, 0, 60);  // a leap second
    if (!second) return std::nullopt;
    seconds += *second;
    if (reader.take(".,") && !reader.number(1, 0, 9)) return std::nullopt;
    while (reader.number(1, 0, 9)) {
    }
  }
  const auto offset = offset_in(reader);
  if (!offset || !reader.is_done()) return std::nullopt;
  return seconds - *offset;
}

std::string day_of(std::int64_t instant) {
  const std::chrono::sys_seconds seconds{std::chrono::seconds(instant)};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(seconds)};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

}  // namespace overlap::report
