# Finds the PyTorch of the Python that the package is built for: targets overlap_pytorch and overlap_pytorch_cuda.
# PyTorch's own CMake package insists on a CUDA Toolkit wherever it was built with one; this asks Python instead.
find_package(Python REQUIRED COMPONENTS Interpreter)
set(ask [[
import os, torch
root = os.path.dirname(torch.__file__)
print(root, torch.__version__, torch.version.cuda or "none", int(torch.compiled_with_cxx11_abi()), sep=";", end="")
]])
# Isolated first: pip builds in an environment without PyTorch, which -I looks past.
foreach(isolated -I -B)
  execute_process(COMMAND ${Python_EXECUTABLE} ${isolated} -c "${ask}"
                  OUTPUT_VARIABLE answer ERROR_VARIABLE why RESULT_VARIABLE status)
  if(status EQUAL 0)
    break()
  endif()
endforeach()
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${Python_EXECUTABLE} has no PyTorch: pip install torch, or, where pip builds with another Python, "
                      "add --no-build-isolation.\n${why}")
endif()
list(GET answer 0 pytorch_root)
list(GET answer 1 OVERLAP_PYTORCH_VERSION)
list(GET answer 2 OVERLAP_PYTORCH_CUDA)
list(GET answer 3 pytorch_abi)
message(STATUS "PyTorch ${OVERLAP_PYTORCH_VERSION} (CUDA: ${OVERLAP_PYTORCH_CUDA}) at ${pytorch_root}")

add_library(overlap_pytorch INTERFACE)
target_include_directories(overlap_pytorch SYSTEM INTERFACE
  ${pytorch_root}/include ${pytorch_root}/include/torch/csrc/api/include)
target_compile_definitions(overlap_pytorch INTERFACE _GLIBCXX_USE_CXX11_ABI=${pytorch_abi})
target_link_directories(overlap_pytorch INTERFACE ${pytorch_root}/lib)
target_link_libraries(overlap_pytorch INTERFACE torch_cpu c10)
add_library(overlap_pytorch_cuda INTERFACE)
target_link_libraries(overlap_pytorch_cuda INTERFACE c10_cuda)

if(OVERLAP_PYTORCH_CUDA STREQUAL none AND NOT OVERLAP_ENABLE_CUDA STREQUAL OFF)
  if(OVERLAP_ENABLE_CUDA STREQUAL ON)
    message(FATAL_ERROR "OVERLAP_ENABLE_CUDA is ON, but this PyTorch was built without CUDA.")
  endif()
  set(OVERLAP_ENABLE_CUDA OFF)
endif()
