// What people hand over by mistake, by its first bytes: each kind has a name and a way out.
#pragma once

#include <string>
#include <string_view>

namespace overlap::report {

/// What a file was given for.
enum class Wanted { run, store, tolerances, acknowledgements };

/// What a file is that is not what was wanted, and what to do: "is compressed by gzip: gunzip it first".
/// @param start  its first bytes, some 64 KiB of them.
std::string described(std::string_view start, Wanted wanted);

/// Whether it is of a kind that has a name and is no run, or only JSON or text of some kind.
bool is_known(std::string_view start);

/// Whether its first bytes are those of a packed or binary kind, or of UTF-32, which is never looked through
/// for a run.
bool is_certain(std::string_view start);

/// Whether it begins as a store does: a line of JSON with its schema.
bool looks_like_store(std::string_view start);

}  // namespace overlap::report
