package io.stoker.dispatcher.placement;

import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.MemoryKeys.Of;
import io.stoker.dispatcher.model.Shape;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The known need of a job for GPU memory.
 *
 * @param keys under what more is to be found of its GPU memory
 * @param expected bytes on each GPU by what was measured; null if nothing was
 * @param ranOut whether an attempt of it ran out of GPU memory: then it gets its GPUs alone
 * @param ofHost what is known of the memory that it takes of its host
 */
public record Memory(MemoryKeys keys, Long expected, boolean ranOut, HostMemory ofHost) {
  public static final Memory UNKNOWN = new Memory(new MemoryKeys("", null), null, false);

  /** Of a job of whose host memory nothing is known. */
  public Memory(MemoryKeys keys, Long expected, boolean ranOut) {
    this(keys, expected, ranOut, HostMemory.UNKNOWN);
  }

  /**
   * What is known before it is looked up what was measured.
   *
   * @param profile what the job is like; null if that is not known
   */
  public static Memory of(
      Shape shape, String fingerprint, String profile, Map<FailureCategory, Integer> failures) {
    return new Memory(
        new MemoryKeys(fingerprint, shape.gpus() > 0 ? profile : null),
        null,
        failures.containsKey(FailureCategory.GPU_OOM),
        new HostMemory(
            new MemoryKeys(Of.HOST, fingerprint, shape.onHost() ? profile : null),
            null,
            failures.getOrDefault(FailureCategory.HOST_OOM, 0)));
  }

  /** Under what more is to be found of either memory. */
  public Stream<MemoryKeys> bothKeys() {
    return Stream.of(keys, ofHost.keys());
  }

  Memory expecting(Long bytes) {
    return new Memory(keys, bytes, ranOut, ofHost);
  }

  Memory expecting(HostMemory known) {
    return new Memory(keys, expected, ranOut, known);
  }
}
