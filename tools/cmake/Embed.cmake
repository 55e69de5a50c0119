# Run at build time: writes a C++ source that holds files as strings.
# -DOUTPUT=<source> -DNAMES=<name,...> and for each name -D<name>=<path>; one without a path becomes an empty string.
set(text "#include \"show/html/assets.hpp\"\n\nnamespace overlap::report::assets {\n\n")
string(REPLACE "," ";" names "${NAMES}")
foreach(name IN LISTS names)
  set(path "${${name}}")
  if(path STREQUAL "")
    string(APPEND text "const char* const ${name} = \"\";\n")
    continue()
  endif()
  # As bytes: a list would lose semicolons and brackets, and a literal has a longest length.
  file(READ "${path}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "static const unsigned char ${name}_bytes[] = {${bytes}0};\n")
  string(APPEND text "const char* const ${name} = reinterpret_cast<const char*>(${name}_bytes);\n")
endforeach()
string(APPEND text "\n}  // namespace overlap::report::assets\n")
file(WRITE "${OUTPUT}" "${text}")
