// Files that are part of every page; tools/cmake/Embed.cmake makes the strings from tools/report/show/html
// and from Chart.js.
#pragma once

namespace overlap::report::assets {

extern const char* const kPageStyle;
extern const char* const kPageScript;
extern const char* const kChartLibrary;  ///< empty if it was not there when this was built

}  // namespace overlap::report::assets
