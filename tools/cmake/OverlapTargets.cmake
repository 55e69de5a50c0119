# What all our targets share: the language level, warnings, sanitizers, precompiled headers, the form of a test.
add_library(overlap_options INTERFACE)
target_compile_features(overlap_options INTERFACE cxx_std_20)
# CMake 3.25.1 does not know that nvcc speaks C++20 and refuses CUDA_STANDARD 20, so the flag is passed by hand.
target_compile_options(overlap_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion>
  $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -Xcompiler=-Wall,-Wextra>)
# g++ 12 sees overlapping copies in every inlined string concatenation (GCC bug 105651, fixed in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(overlap_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(OVERLAP_WERROR)
  target_compile_options(overlap_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings -Xcompiler=-Werror>)
endif()
if(OVERLAP_SANITIZE)
  target_compile_options(overlap_options INTERFACE
    -fsanitize=${OVERLAP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Instrumented code confuses g++ 12 about std::function inside std::regex (GCC bug 105562).
  target_compile_options(overlap_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(overlap_options INTERFACE -fsanitize=${OVERLAP_SANITIZE})
endif()
target_link_libraries(overlap_options INTERFACE Threads::Threads)

# What nearly every source includes, parsed once a build for libraries and programs and once for tests: precompiled
# headers fit only sources of the same optimisation. tools/lint.sh compiles without, and finds an #include that is missing.
set(overlap_common_headers
  <algorithm> <array> <chrono> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span> <stdexcept> <string>
  <string_view> <utility> <vector>)
set(overlap_test_optimization $<$<CONFIG:Release>:-O1>)

# overlap_precompile(<folder>...): precompiled headers for the tests of these folders, and for all else of them under
# sanitizers. Call it when all targets are declared.
function(overlap_precompile)
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled/empty.cpp "")
  if(OVERLAP_SANITIZE)
    add_library(overlap_headers OBJECT ${PROJECT_BINARY_DIR}/precompiled/empty.cpp)
    target_link_libraries(overlap_headers PRIVATE overlap_options fmt::fmt)
    target_precompile_headers(overlap_headers PRIVATE ${overlap_common_headers} <fmt/format.h>)
  endif()
  if(BUILD_TESTING)
    add_library(overlap_test_headers OBJECT ${PROJECT_BINARY_DIR}/precompiled/empty.cpp)
    target_link_libraries(overlap_test_headers PRIVATE overlap_options GTest::gtest_main)
    target_compile_options(overlap_test_headers PRIVATE ${overlap_test_optimization})
    target_precompile_headers(overlap_test_headers PRIVATE ${overlap_common_headers} <gtest/gtest.h>)
  endif()
  foreach(folder IN LISTS ARGN)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      get_target_property(tests ${target} OVERLAP_TESTS)
      if(tests)
        target_precompile_headers(${target} REUSE_FROM overlap_test_headers)
      elseif(OVERLAP_SANITIZE AND type MATCHES "STATIC_LIBRARY|EXECUTABLE")
        # Not in a release: there g++ 12 then sees copies that are too long in std::string, as in GCC bug 105651.
        target_precompile_headers(${target} REUSE_FROM overlap_headers)
        target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
      endif()
    endforeach()
  endforeach()
endfunction()

include(GoogleTest)
# overlap_test(<target> <label> SOURCES... LIBRARIES...): a GoogleTest executable; every test carries the label.
function(overlap_test target label)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LIBRARIES;DEFINITIONS")
  add_executable(${target} ${arg_SOURCES})
  # What a test tests lies in libraries; the test itself takes longer to compile than to run.
  target_compile_options(${target} PRIVATE ${overlap_test_optimization})
  set_target_properties(${target} PROPERTIES OVERLAP_TESTS YES)
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} overlap_options GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE ${arg_DEFINITIONS})
  gtest_discover_tests(${target} TEST_PREFIX ${label}. DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${label} TIMEOUT 300)
endfunction()
