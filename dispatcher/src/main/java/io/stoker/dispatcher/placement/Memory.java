package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.memory.MemoryKeys;

/**
 * What is known of the GPU memory that a job takes.
 *
 * @param keys under what more is to be found
 * @param expected bytes on each GPU by what was measured; null if nothing was
 * @param ranOut whether an attempt of it ran out of GPU memory: then it gets its GPUs alone
 */
public record Memory(MemoryKeys keys, Long expected, boolean ranOut) {
  public static final Memory UNKNOWN = new Memory(new MemoryKeys("", null), null, false);
}
