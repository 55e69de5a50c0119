// Memory, copies and the device's description on the CUDA runtime. Everything that needs the driver beyond
// the runtime is found at run time, so that the program starts on machines without a driver and can say what
// is missing.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "cuda/runtime.hpp"

namespace overlap {
namespace {

/// The few answers that only the driver's management library has. It is loaded at run time, because machines
/// without a driver have to run this program too and toolkits need not ship its header.
class Management {
 public:
  explicit Management(const char* pci_bus_id) : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    const auto init = function<int (*)()>("nvmlInit_v2");
    const auto find = function<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    if (init && find && init() == 0 && find(pci_bus_id, &device_) != 0) device_ = nullptr;
  }

  std::string driver() const {
    char text[96] = "";
    const auto version = function<int (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
    return device_ && version && version(text, sizeof text) == 0 ? text : "";
  }

  /// The link as it can be, not as it idles: links drop a generation when nothing moves.
  std::string pcie() const {
    unsigned generation = 0, width = 0;
    using Query = int (*)(void*, unsigned*);
    const auto max_generation = function<Query>("nvmlDeviceGetMaxPcieLinkGeneration");
    const auto link_width = function<Query>("nvmlDeviceGetMaxPcieLinkWidth");
    if (!device_ || !max_generation || !link_width || max_generation(device_, &generation) != 0 ||
        link_width(device_, &width) != 0)
      return "";
    return "gen" + std::to_string(generation) + " x" + std::to_string(width);
  }

 private:
  template <class Function>
  Function function(const char* name) const {
    return library_ ? reinterpret_cast<Function>(dlsym(library_.get(), name)) : nullptr;
  }
  struct Close {
    void operator()(void* library) const noexcept { dlclose(library); }
  };
  std::unique_ptr<void, Close> library_;
  void* device_ = nullptr;
};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string why_no_device(cudaError_t status) {
  const std::string text = cudaGetErrorString(status);
  switch (status) {
    case cudaErrorNoDevice:
      return "no CUDA device is visible (" + text + "): check nvidia-smi and CUDA_VISIBLE_DEVICES";
    case cudaErrorInsufficientDriver:
      return "no usable NVIDIA driver (" + text + "): install or update the driver";
    default: return text;
  }
}

/// As nvidia-smi writes it.
std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  constexpr std::size_t kGroups[] = {4, 2, 2, 2, 6};
  std::size_t at = 0;
  for (const std::size_t bytes : kGroups) {
    text += '-';
    for (const std::size_t end = at + bytes; at < end; ++at) {
      const auto byte = static_cast<unsigned char>(uuid.bytes[at]);
      text += "0123456789abcdef"[byte >> 4];
      text += "0123456789abcdef"[byte & 15];
    }
  }
  return text;
}

}  // namespace

const char* backend_name() { return "cuda"; }

// None of the calls below makes a context: the runtime makes one in cudaSetDevice() and in the first call
// that works on the current device. Counting devices, properties, bus ids and versions only ask the driver,
// and the management library knows nothing of contexts.
DeviceInfo device_info(int device) {
  DeviceInfo info;
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count == 0) status = cudaErrorNoDevice;
  if (status != cudaSuccess) {
    cudaGetLastError();
    info.why_not = why_no_device(status);
    return info;
  }
  if (device < 0 || device >= count) {
    info.why_not = "there is no device " + std::to_string(device) +
                   ": use --device=0 to --device=" + std::to_string(count - 1);
    return info;
  }
  cudaDeviceProp properties{};
  char bus[32] = "";
  int runtime = 0;
  status = cudaGetDeviceProperties(&properties, device);
  if (status == cudaSuccess) status = cudaDeviceGetPCIBusId(bus, sizeof bus, device);
  if (status == cudaSuccess) status = cudaRuntimeGetVersion(&runtime);
  if (status != cudaSuccess) {
    cudaGetLastError();
    info.why_not = std::string("device ") + std::to_string(device) + ": " + cudaGetErrorString(status);
    return info;
  }
  info.gpu = properties.name;
  info.uuid = uuid_text(properties.uuid);
  info.pci_address = bus;
  info.total_bytes = properties.totalGlobalMem;
  info.compute_capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  info.sm_count = properties.multiProcessorCount;
  info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  info.copy_engines = properties.asyncEngineCount;
  const Management management(bus);
  int driver = 0;
  info.driver = management.driver();
  if (info.driver.empty() && cudaDriverGetVersion(&driver) == cudaSuccess)
    info.driver = "for CUDA " + version_text(driver);
  info.runtime = version_text(runtime);
  info.pcie = management.pcie();
  info.write_combined = true;
  info.programmatic_launch = properties.major >= kProgrammaticMajor;
  info.usable = true;
  return info;
}

std::size_t free_memory(int device) {
  std::size_t free = 0, total = 0;
  check(cudaSetDevice(device), "select device", device);
  check(cudaMemGetInfo(&free, &total), "ask for free memory of device", device);
  return free;
}

void use_device(int device) {
  if (const DeviceInfo info = device_info(device); !info.usable) throw DeviceError(info.why_not);
  check(cudaSetDevice(device), "select device", device);
  preload_arithmetic();
  preload_swish();
  preload_trig();
  preload_row_sums();
  preload_probes();
}

void* allocate_device(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "allocate device memory, bytes:", bytes);
  return memory;
}

void free_device(void* memory) noexcept { warn(cudaFree(memory), "freeing device memory"); }

void* allocate_host(std::size_t bytes, HostMemory kind) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  switch (kind) {
    case HostMemory::pinned:
      check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), "allocate pinned memory, bytes:", bytes);
      return memory;
    case HostMemory::write_combined:
      check(cudaHostAlloc(&memory, bytes, cudaHostAllocWriteCombined),
            "allocate write-combined memory, bytes:", bytes);
      return memory;
    case HostMemory::pageable:
    case HostMemory::registered: break;
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (bytes <= std::numeric_limits<std::size_t>::max() - page)
    memory = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (!memory) throw DeviceError("cannot allocate " + std::to_string(bytes) + " bytes of host memory");
  if (kind == HostMemory::registered) {
    const cudaError_t status = cudaHostRegister(memory, bytes, cudaHostRegisterDefault);
    if (status != cudaSuccess) std::free(memory);
    check(status, "register host memory, bytes:", bytes);
  }
  return memory;
}

void free_host(void* memory, HostMemory kind) noexcept {
  if (!memory) return;
  if (kind == HostMemory::pinned || kind == HostMemory::write_combined)
    return warn(cudaFreeHost(memory), "freeing pinned memory");
  if (kind == HostMemory::registered) warn(cudaHostUnregister(memory), "unregistering host memory");
  std::free(memory);
}

void copy_bytes(void* to, const void* from, std::size_t bytes, CopyDirection direction, Stream& stream) {
  constexpr cudaMemcpyKind kKinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                                       cudaMemcpyDeviceToDevice};
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, kKinds[static_cast<int>(direction)], stream.impl().stream),
        "enqueue a copy, bytes:", bytes);
}

void fill_bytes(void* memory, std::uint8_t value, std::size_t bytes, Stream& stream) {
  if (bytes > 0)
    check(cudaMemsetAsync(memory, value, bytes, stream.impl().stream), "enqueue a fill, bytes:", bytes);
}

}  // namespace overlap
