// What this program was built from, and with what.
#pragma once

namespace overlap {

struct BuildInfo {
  const char* revision;    ///< as git describes the sources; "unknown" without git
  const char* build_type;  ///< "Release"
  const char* compiler;    ///< name and version
};

/// That of the library which this is linked from.
BuildInfo build_info();

}  // namespace overlap
