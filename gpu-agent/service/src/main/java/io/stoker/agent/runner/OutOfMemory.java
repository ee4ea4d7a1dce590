package io.stoker.agent.runner;

import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Tells from the end of a failed job's output whether memory ran out, and whose. Only for exit
 * codes other than 0: many programs survive it.
 */
final class OutOfMemory {
  private static final List<Pattern> GPU =
      List.of(
          Pattern.compile("\\b(?:CUDA|HIP) out of memory\\b"),
          Pattern.compile("torch\\.(?:cuda\\.)?OutOfMemoryError"),
          Pattern.compile("\\bCUDA (?:driver )?error: out of memory"),
          Pattern.compile("cuda runtime error \\(2\\)"),
          Pattern.compile("cudaErrorMemoryAllocation|CUDA_ERROR_OUT_OF_MEMORY"),
          Pattern.compile(
              "\\bcudaMalloc\\w* failed: out of memory|Cuda failure(?: \\d+)? '?out of memory"),
          Pattern.compile("CU(?:BLAS|DNN|SPARSE|FFT|SOLVER)_(?:STATUS_)?ALLOC_FAILED"),
          Pattern.compile("RESOURCE_EXHAUSTED: (?:Out of memory|Failed to allocate)"),
          Pattern.compile("OOM when allocating tensor"),
          Pattern.compile("cupy\\.cuda\\.memory\\.OutOfMemoryError|std::bad_alloc: out_of_memory"),
          Pattern.compile("Free memory on device .* less than desired"),
          Pattern.compile("No available memory for the cache blocks"));

  private static final Pattern HOST = Pattern.compile("DefaultCPUAllocator: .*(?:memory|allocate)");

  private OutOfMemory() {}

  /** The category that the tails of both streams give away, if they do. */
  static Optional<FailureCategory> classify(String stdout, String stderr) {
    if (HOST.matcher(stderr).find() || HOST.matcher(stdout).find()) {
      return Optional.of(FailureCategory.HOST_OOM);
    }
    boolean gpu =
        GPU.stream()
            .anyMatch(pattern -> pattern.matcher(stderr).find() || pattern.matcher(stdout).find());
    return gpu ? Optional.of(FailureCategory.GPU_OOM) : Optional.empty();
  }
}
