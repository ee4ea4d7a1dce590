package io.stoker.agent.config;

import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.Optional;

/** {@code stoker.agent.disk.*}: how much jobs may write, and how long it stays. */
public interface DiskConfig {
  /** What becomes of a job that writes more than it may. */
  enum OverQuota {
    /** It runs on, and its status says so. */
    WARN,
    /** It is ended. */
    END
  }

  /** Size of a job's two outputs on disk. */
  Optional<String> logQuota();

  /** Size of what it writes in its scratch folder. */
  Optional<String> workQuota();

  /**
   * The part that one job's folder and outputs may have of what is free and what jobs hold, above 0
   * to 1; 1 for all of it.
   */
  @WithDefault("0.5")
  double share();

  /** Size that is set aside for when the disk is full; 0B for none. */
  @WithDefault("16MiB")
  String reserve();

  /** {@code warn} or {@code end}. */
  @WithDefault("end")
  OverQuota overQuota();

  /** How long an ended run's folder stays after its end is known. */
  @WithDefault("0s")
  @WithConverter(Held.Time.class)
  Duration keep();

  /** Size that is to stay free: below it folders of ended runs go sooner. */
  @WithDefault("1GiB")
  String freeFloor();

  /** Size below which nothing new is taken; 0B for never. */
  @WithDefault("512MiB")
  String refuseBelow();

  /** Between two looks. */
  @WithDefault("10s")
  @WithConverter(Held.Period.class)
  Duration lookEvery();
}
