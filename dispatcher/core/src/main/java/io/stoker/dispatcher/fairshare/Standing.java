package io.stoker.dispatcher.fairshare;

/**
 * The place of a queue among the others.
 *
 * @param running jobs of it that are placed or running
 * @param used what its attempts, ended and open, come to by now
 * @param charged as {@code used}, but for open attempts at least a minute each: it is this that
 *     decides who is next, so that what was just placed counts at once
 */
public record Standing(QueueSettings settings, int running, DeviceTime used, DeviceTime charged) {
  /** A queue of which nothing has run. */
  public static Standing fresh(QueueSettings settings) {
    return new Standing(settings, 0, DeviceTime.NONE, DeviceTime.NONE);
  }

  public String queue() {
    return settings.name();
  }

  /** How many more of its jobs may be placed. */
  public int mayStart() {
    return settings.maxRunning().isEmpty()
        ? Integer.MAX_VALUE
        : Math.max(0, settings.maxRunning().getAsInt() - running);
  }
}
