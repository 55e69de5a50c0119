# Finds every dependency. Where one is missing, says which package brings it.
include(OverlapKernelDependencies)
overlap_find(benchmark libbenchmark-dev CONFIG)
overlap_find(nlohmann_json nlohmann-json3-dev CONFIG)
overlap_find(CLI11 libcli11-dev CONFIG)
overlap_find(fmt libfmt-dev CONFIG)
if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  overlap_find(GTest libgtest-dev)
endif()
