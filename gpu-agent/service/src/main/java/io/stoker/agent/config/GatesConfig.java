package io.stoker.agent.config;

import io.smallrye.config.WithDefault;
import java.math.BigDecimal;

/** The configuration of gates. */
public interface GatesConfig {
  /** {@code stoker.agent.scheduler.*}. */
  interface Scheduler {
    /** Staged processes at once, 0 = any number. */
    @WithDefault("20")
    int maxProcess();

    /** Of them before their training, 0 = any number. */
    @WithDefault("10")
    int maxWaiting();

    /** Host memory of a staged job that does not say how much it needs. */
    @WithDefault("2GB")
    String defaultMemory();

    /** GPU memory likewise. */
    @WithDefault("2GB")
    String defaultCudaMemory();

    /** Loads in total. */
    @WithDefault("3")
    int loadNretry();

    /** Trainings in total. */
    @WithDefault("3")
    int trainNretry();

    /** Whether every job waits at the gates, and not only staged ones and those that ask. */
    @WithDefault("false")
    boolean allJobs();

    /** {@code pci}, {@code memory}, {@code remaining} or {@code performance}; - reverses. */
    @WithDefault("pci")
    String gpuPriority();
  }

  /** {@code stoker.agent.utilization-limit.*}, parts of 1. */
  interface UtilizationLimit {
    @WithDefault("0.8")
    BigDecimal cpu();

    @WithDefault("0.8")
    BigDecimal memory();

    @WithDefault("0.8")
    BigDecimal cudaMemory();
  }

  /** {@code stoker.agent.remain-limit.*}, sizes. */
  interface RemainLimit {
    @WithDefault("4GB")
    String memory();

    @WithDefault("2GB")
    String cudaMemory();
  }
}
