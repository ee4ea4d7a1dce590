package io.stoker.dispatcher.placement;

import io.stoker.common.size.ByteSize;

/**
 * The memory of a host that a job is to be promised.
 *
 * @param bytes {@link Long#MAX_VALUE} for all of it
 * @param firm whether only the request says so: then a host that has less can never serve it. What
 *     is expected by measurement keeps it from no host for ever
 */
record MemoryNeed(long bytes, boolean firm) {
  /** All of a host's memory. */
  static final MemoryNeed ALL = new MemoryNeed(Long.MAX_VALUE, false);

  String describe() {
    return bytes == Long.MAX_VALUE
        ? "all memory of a host"
        : ByteSize.text(bytes) + " of host memory";
  }
}
