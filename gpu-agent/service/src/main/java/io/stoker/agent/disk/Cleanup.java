package io.stoker.agent.disk;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

/** Decides which folders of ended runs are removed: what is too old, and more if the disk fills. */
final class Cleanup {
  private Cleanup() {}

  /**
   * How long folders stay.
   *
   * @param keepMs after the dispatcher has closed the attempt
   * @param floor bytes that are to stay free: below it folders go sooner, the oldest first
   */
  public record Rules(long keepMs, long floor) {}

  /**
   * The folder of an ended run.
   *
   * @param since when it was put aside, ms since 1970; of one that is not closed yet when it ended
   * @param closed whether the dispatcher has its end: nobody needs it then. One that is not closed
   *     goes last, and never because of its age
   */
  record Folder(String name, long since, boolean closed) {}

  /**
   * What is to go, in this order.
   *
   * @param free bytes on the disk
   * @param size bytes of a folder; asked only if the disk is fuller than it may be
   */
  static List<Folder> decide(
      List<Folder> folders, Rules rules, long now, long free, ToLongFunction<Folder> size) {
    List<Folder> gone = new ArrayList<>();
    List<Folder> left = new ArrayList<>();
    for (Folder folder : folders) {
      boolean old = folder.closed() && now - folder.since() >= rules.keepMs();
      (old ? gone : left).add(folder);
    }
    if (free >= rules.floor()) {
      return gone;
    }
    long then = free + gone.stream().mapToLong(size).sum();
    left.sort(
        Comparator.comparing((Folder folder) -> !folder.closed())
            .thenComparingLong(Folder::since)
            .thenComparing(Folder::name));
    for (Folder folder : left) {
      if (then >= rules.floor()) {
        break;
      }
      gone.add(folder);
      then += size.applyAsLong(folder);
    }
    return gone;
  }
}
