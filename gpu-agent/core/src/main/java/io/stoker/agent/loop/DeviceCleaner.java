package io.stoker.agent.loop;

import io.stoker.agent.attempt.RunKey;
import java.util.List;

/** Waits until devices are free of what an ended run left on them. */
public interface DeviceCleaner {
  /**
   * @param clean run once, when they can be given to others
   */
  void clean(RunKey key, List<String> devices, Runnable clean);
}
