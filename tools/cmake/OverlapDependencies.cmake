# Finds every dependency. Where one is missing, says which package brings it.

# overlap_find(<package> <Debian and Ubuntu package> [<find_package arguments>...])
macro(overlap_find package debian)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found. On Debian and Ubuntu: apt-get install ${debian}\n"
                        "(tools/quickstart.sh and tools/test.sh install everything that is missing).")
  endif()
endmacro()

overlap_find(Threads libc6-dev)
overlap_find(benchmark libbenchmark-dev CONFIG)
overlap_find(nlohmann_json nlohmann-json3-dev CONFIG)
overlap_find(CLI11 libcli11-dev CONFIG)
overlap_find(fmt libfmt-dev CONFIG)
if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  overlap_find(GTest libgtest-dev)
endif()

# CUDA is built wherever a compiler for it is found, and never needed.
if(NOT OVERLAP_ENABLE_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "OVERLAP_ENABLE_CUDA is '${OVERLAP_ENABLE_CUDA}'; it must be AUTO, ON or OFF")
endif()
set(OVERLAP_BACKENDS host)
if(NOT OVERLAP_ENABLE_CUDA STREQUAL OFF)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(OVERLAP_NVCC nvcc PATHS /usr/local/cuda/bin ENV CUDA_PATH PATH_SUFFIXES bin)
    if(OVERLAP_NVCC)
      set(CMAKE_CUDA_COMPILER ${OVERLAP_NVCC})
    endif()
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # Real code for the data-centre and consumer GPUs from Ampere to Hopper, and PTX that newer ones compile at
    # start. 'native' would fail on build machines without a GPU.
    set(CMAKE_CUDA_ARCHITECTURES 80-real 86-real 89-real 90)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    list(APPEND OVERLAP_BACKENDS cuda)
  elseif(OVERLAP_ENABLE_CUDA STREQUAL ON)
    message(FATAL_ERROR "OVERLAP_ENABLE_CUDA is ON and no nvcc was found. Install the CUDA Toolkit, put nvcc on "
                        "PATH or set CUDACXX; or configure with -DOVERLAP_ENABLE_CUDA=AUTO.")
  endif()
endif()
message(STATUS "Overlap backends: ${OVERLAP_BACKENDS}")
