# What the kernels need: threads, Eigen, and CUDA where there is a compiler for it. Sets OVERLAP_BACKENDS.

# overlap_find(<package> <Debian and Ubuntu package> [<find_package arguments>...])
macro(overlap_find package debian)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found. On Debian and Ubuntu: apt-get install ${debian}\n"
                        "(tools/quickstart.sh and tools/test.sh install everything that is missing).")
  endif()
endmacro()

overlap_find(Threads libc6-dev)
overlap_find(Eigen3 libeigen3-dev CONFIG)

# CUDA is built wherever a compiler for it is found, and never needed.
if(NOT OVERLAP_ENABLE_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "OVERLAP_ENABLE_CUDA is '${OVERLAP_ENABLE_CUDA}'; it must be AUTO, ON or OFF")
endif()
set(OVERLAP_BACKENDS host)
if(NOT DEFINED OVERLAP_CUDART)
  set(OVERLAP_CUDART CUDA::cudart_static)  # programs carry the runtime with them
endif()
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
    if(TARGET CUDA::cublas)
      list(APPEND OVERLAP_BACKENDS cuda)
    elseif(OVERLAP_ENABLE_CUDA STREQUAL ON)
      message(FATAL_ERROR "The CUDA Toolkit at ${CUDAToolkit_ROOT} has no cuBLAS: install libcublas-dev-<version>.")
    else()
      message(WARNING "The CUDA backend is left out: the CUDA Toolkit at ${CUDAToolkit_ROOT} has no cuBLAS "
                      "(install libcublas-dev-<version>).")
    endif()
  elseif(OVERLAP_ENABLE_CUDA STREQUAL ON)
    message(FATAL_ERROR "OVERLAP_ENABLE_CUDA is ON and no nvcc was found. Install the CUDA Toolkit, put nvcc on "
                        "PATH or set CUDACXX; or configure with -DOVERLAP_ENABLE_CUDA=AUTO.")
  endif()
endif()
message(STATUS "Overlap backends: ${OVERLAP_BACKENDS}")
