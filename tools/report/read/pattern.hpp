// POSIX extended regular expressions, found anywhere in a name. The standard library's recurse by character:
// a long name overflows its stack.
#pragma once

#include <memory>
#include <string>

namespace overlap::report {

/// One expression, ready to be looked for.
class Pattern {
 public:
  /// @throws std::invalid_argument with the reason if it is none.
  explicit Pattern(const std::string& extended);
  bool finds_in(const std::string& name) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace overlap::report
