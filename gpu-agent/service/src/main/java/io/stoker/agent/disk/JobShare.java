package io.stoker.agent.disk;

/**
 * The part that one job may have of what there is for jobs: of what is free and what their run
 * folders hold. Who has less than a hundredth of the disk is not what fills it, and may keep that
 * whoever else does.
 *
 * @param part above 0 to 1; 1 for no limit
 */
public record JobShare(double part) {
  private static final long LITTLE = 100;

  public JobShare {
    if (!(part > 0 && part <= 1)) {
      throw new IllegalArgumentException("%s, expected more than 0 and at most 1".formatted(part));
    }
  }

  boolean limited() {
    return part < 1;
  }

  /**
   * Whether any job can have more: a run's folder is no larger than what is used in all.
   *
   * @param total bytes of the disk
   * @param free of them
   */
  boolean canBeExceeded(long total, long free) {
    return limited() && (total - free) * (1 - part) > free * part;
  }

  /**
   * Bytes that one job may have.
   *
   * @param total bytes of the disk
   * @param held by run folders
   */
  long of(long total, long free, long held) {
    return Math.max(total / LITTLE, (long) ((free + held) * part));
  }
}
