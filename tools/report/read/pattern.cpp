#include "read/pattern.hpp"

#include <regex.h>

#include <stdexcept>

namespace overlap::report {

struct Pattern::Compiled {
  regex_t regex{};

  explicit Compiled(const std::string& extended) {
    const int error = regcomp(&regex, extended.c_str(), REG_EXTENDED | REG_NOSUB);
    if (error == 0) return;
    char reason[256];
    regerror(error, &regex, reason, sizeof reason);
    throw std::invalid_argument("'" + extended + "' is no regular expression: " + reason);
  }
  ~Compiled() { regfree(&regex); }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
};

Pattern::Pattern(const std::string& extended) : compiled_(std::make_shared<Compiled>(extended)) {}

bool Pattern::finds_in(const std::string& name) const {
  return regexec(&compiled_->regex, name.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace overlap::report
