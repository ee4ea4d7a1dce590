package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.MemoryKeys.Of;
import java.util.OptionalLong;

/**
 * The known need of a job for memory of its host.
 *
 * @param keys under what more is to be found
 * @param expected what was measured, null if nothing was
 * @param ranOut attempts of it that ran out of host memory
 */
public record HostMemory(MemoryKeys keys, Estimate expected, int ranOut) {
  static final HostMemory UNKNOWN = new HostMemory(new MemoryKeys(Of.HOST, "", null), null, 0);

  /** After so many attempts that ran out it gets a host's memory alone. */
  static final int ALONE_AFTER = 2;

  public HostMemory expecting(Estimate estimate) {
    return new HostMemory(keys, estimate, ranOut);
  }

  /**
   * What it is to be promised; null if nothing is known.
   *
   * @param declared bytes that the request says, null if it says nothing
   */
  MemoryNeed need(Long declared) {
    if (ranOut >= ALONE_AFTER) {
      return MemoryNeed.ALL;
    }
    OptionalLong bytes = MemoryRules.hostMemory(declared, expected, ranOut);
    return bytes.isEmpty()
        ? null
        : new MemoryNeed(bytes.getAsLong(), expected == null && ranOut == 0);
  }
}
