package io.stoker.agent.runner;

import io.stoker.agent.device.CpuSet;
import java.util.List;

/** On which processors a job is to run. */
public interface Affinity {
  Affinity ANY = devices -> CpuSet.NONE;

  /**
   * Those for a job with these devices; none for any.
   *
   * @param devices ids, as the job was given them
   */
  CpuSet of(List<String> devices);
}
