package io.stoker.agent.spawn;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import io.stoker.agent.device.CpuSet;

/**
 * On which processors this thread runs, and with it what it starts. One thread alone may use it. A
 * job that cannot be bound, because some of the processors have gone meanwhile, runs on any.
 */
final class OwnCpus {
  private static final int THIS_THREAD = 0;

  /** Room for 4,096 processors. */
  private static final int WORDS = 64;

  private final Memory all = new Memory(WORDS * Long.BYTES);
  private final Memory some = new Memory(WORDS * Long.BYTES);
  private final boolean known;

  OwnCpus() {
    all.clear();
    known = Libc.sched_getaffinity(THIS_THREAD, all.size(), Pointer.nativeValue(all)) == 0;
  }

  /** Has it run on these alone, until {@link #free}. */
  void bind(CpuSet cpus) {
    if (known && !cpus.isEmpty()) {
      some.write(0, cpus.mask(WORDS), 0, WORDS);
      Libc.sched_setaffinity(THIS_THREAD, some.size(), Pointer.nativeValue(some));
    }
  }

  /** Has it run on all those again on which it began. */
  void free(CpuSet bound) {
    if (known && !bound.isEmpty()) {
      Libc.sched_setaffinity(THIS_THREAD, all.size(), Pointer.nativeValue(all));
    }
  }
}
