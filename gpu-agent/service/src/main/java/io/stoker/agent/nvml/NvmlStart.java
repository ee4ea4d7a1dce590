package io.stoker.agent.nvml;

import io.stoker.agent.gpu.NvmlApi;
import java.util.OptionalInt;

/** The result of opening NVML. */
public sealed interface NvmlStart {
  /** NVML answers, and there is at least one GPU. Whoever takes it closes it. */
  record Ready(NvmlApi api) implements NvmlStart {}

  /**
   * This host has no GPU: a normal state, in which jobs run on CPU slots.
   *
   * @param reason a sentence for people
   */
  record NoGpu(String reason) implements NvmlStart {}

  /**
   * NVML is there and does not work. What devices the host has is not known; ask again later.
   *
   * @param reason a sentence for people
   * @param code NVML's return code, if it came so far
   */
  record Failed(String reason, OptionalInt code) implements NvmlStart {}
}
