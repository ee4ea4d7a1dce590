package io.stoker.common.request;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The runners of jobs: the values of {@code resources.type}. */
public enum RunnerType {
  /** A process on CPU slots of its host. */
  CPU,
  /** A process on GPUs of its host. */
  GPU,
  /** A container of an image, on CPU slots or GPUs of its host. */
  CONTAINER,
  /** A process on another machine, reached by SSH. */
  SSH,
  /** A process on a machine that is started for it. */
  AWS,
  /** A person. */
  PASSIVE;

  private static final Map<String, RunnerType> BY_KEY =
      Arrays.stream(values()).collect(Collectors.toMap(RunnerType::key, type -> type));

  /** As requests name it. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The type of this name, if there is one. */
  public static Optional<RunnerType> of(String key) {
    return Optional.ofNullable(BY_KEY.get(key));
  }

  /**
   * Whether jobs of this type are {@link #onHost}, as those of none are, and none of one unknown.
   */
  public static boolean runsOnHost(String key) {
    return key == null || of(key).map(RunnerType::onHost).orElse(false);
  }

  /** All names, for people. */
  public static String keys() {
    return Arrays.stream(values()).map(RunnerType::key).sorted().collect(Collectors.joining(", "));
  }

  /** Whether its jobs are processes that an agent's host starts by itself, in no container. */
  public boolean plain() {
    return this == CPU || this == GPU;
  }

  /** Whether its jobs may ask for GPUs: of an agent's host, or of the machine that they run on. */
  public boolean onGpus() {
    return this != CPU && this != PASSIVE;
  }

  /** Whether its jobs take CPU slots or GPUs of an agent's host. */
  public boolean onHost() {
    return plain() || this == CONTAINER;
  }
}
