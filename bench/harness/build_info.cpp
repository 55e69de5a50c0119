// The only file that is compiled again when the revision changes.
#include "harness/build_info.hpp"

#include "revision.hpp"

namespace overlap {

BuildInfo build_info() { return {kRevision, OVERLAP_BUILD_TYPE, OVERLAP_COMPILER}; }

}  // namespace overlap
