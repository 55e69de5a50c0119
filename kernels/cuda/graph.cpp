// Graphs on the CUDA runtime. Kernels of libraries, such as cuBLAS's, are known to the driver only; what the
// runtime cannot tell of them is asked of the driver, whose functions are looked up at run time.
#include <cuda.h>

#include "cuda/runtime.hpp"

namespace overlap {

GraphBuilder::Impl::~Impl() { warn(cudaGraphDestroy(graph), "destroying a graph"); }

GraphBuilder::GraphBuilder(Stream& origin, const std::function<void()>& work) {
  // Thread-local mode: calls of this thread that may not be captured fail; other threads are left alone.
  const cudaStream_t stream = origin.impl().stream;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin a capture");
  cudaGraph_t graph = nullptr;
  try {
    work();
  } catch (...) {
    // The capture is broken or about to be thrown away: what ending it says adds nothing to the first error.
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph)
      warn(cudaGraphDestroy(graph), "destroying a graph");
    cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "end a capture");
  impl_ = std::make_unique<Impl>(graph);
}
GraphBuilder::~GraphBuilder() = default;
GraphBuilder::GraphBuilder(GraphBuilder&&) noexcept = default;
GraphBuilder& GraphBuilder::operator=(GraphBuilder&&) noexcept = default;

std::size_t GraphBuilder::node_count() const {
  std::size_t count = 0;
  check(cudaGraphGetNodes(impl_->graph, nullptr, &count), "count a graph's nodes");
  return count;
}

namespace {

/// Finds a function of the driver, which the runtime has loaded already.
template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found);
  if (status != cudaSuccess) cudaGetLastError();
  return status == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(address)
                                                                       : nullptr;
}

/// The blocks of a kernel node, and how many of them `sm_count` multiprocessors hold; zeros where the driver
/// is too old to tell.
KernelShape shape_of(cudaGraphNode_t node, std::size_t sm_count) {
  static const auto get_params = driver_function<CUresult (*)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v2*)>(
      "cuGraphKernelNodeGetParams", 12000);
  static const auto get_function =
      driver_function<CUresult (*)(CUfunction*, CUkernel)>("cuKernelGetFunction", 12000);
  static const auto occupancy = driver_function<CUresult (*)(int*, CUfunction, int, std::size_t)>(
      "cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050);
  CUDA_KERNEL_NODE_PARAMS_v2 params{};
  if (!get_params || get_params(node, &params) != CUDA_SUCCESS) return {};
  KernelShape shape{std::size_t{params.gridDimX} * params.gridDimY * params.gridDimZ, 0};
  CUfunction function = params.func;
  if (!function && params.kern && get_function) get_function(&function, params.kern);
  int each = 0;
  const auto threads = static_cast<int>(params.blockDimX * params.blockDimY * params.blockDimZ);
  if (function && occupancy && occupancy(&each, function, threads, params.sharedMemBytes) == CUDA_SUCCESS)
    shape.resident = static_cast<std::size_t>(each) * sm_count;
  return shape;
}

}  // namespace

std::vector<KernelShape> GraphBuilder::kernels() const {
  int device = 0, sm_count = 0;
  check(cudaGetDevice(&device), "get the current device");
  check(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device), "count multiprocessors");
  std::size_t count = node_count();
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(impl_->graph, nodes.data(), &count), "list a graph's nodes");
  std::vector<KernelShape> shapes;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "get a graph node's type");
    if (type == cudaGraphNodeTypeKernel) shapes.push_back(shape_of(node, static_cast<std::size_t>(sm_count)));
  }
  return shapes;
}

struct Graph::Impl {
  cudaGraphExec_t exec = nullptr;

  explicit Impl(const GraphBuilder& builder) {
    check(cudaGraphInstantiate(&exec, builder.impl().graph, 0), "instantiate a graph");
  }
  ~Impl() { warn(cudaGraphExecDestroy(exec), "destroying an executable graph"); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

Graph::Graph(const GraphBuilder& builder) : impl_(std::make_unique<Impl>(builder)) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

void Graph::launch(Stream& stream) {
  check(cudaGraphLaunch(impl_->exec, stream.impl().stream), "launch a graph");
}

void Graph::upload(Stream& stream) {
  check(cudaGraphUpload(impl_->exec, stream.impl().stream), "upload a graph");
}

void Graph::update(const GraphBuilder& builder) {
  cudaGraphExecUpdateResultInfo result{};
  const cudaError_t status = cudaGraphExecUpdate(impl_->exec, builder.impl().graph, &result);
  check(status, "update a graph (result number follows; instantiate a new graph instead)",
        static_cast<int>(result.result));
}

}  // namespace overlap
