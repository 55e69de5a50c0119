# What all our targets share: the language level, warnings, sanitizers.
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
    -fsanitize=${OVERLAP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  # Instrumented code confuses g++ 12 about std::function inside std::regex (GCC bug 105562).
  target_compile_options(overlap_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(overlap_options INTERFACE -fsanitize=${OVERLAP_SANITIZE})
endif()
target_link_libraries(overlap_options INTERFACE Threads::Threads)

include(GoogleTest)
# overlap_test(<target> <label> SOURCES... LIBRARIES...): a GoogleTest executable; every test carries the label.
function(overlap_test target label)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LIBRARIES;DEFINITIONS")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} overlap_options GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE ${arg_DEFINITIONS})
  gtest_discover_tests(${target} TEST_PREFIX ${label}. DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${label} TIMEOUT 300)
endfunction()
