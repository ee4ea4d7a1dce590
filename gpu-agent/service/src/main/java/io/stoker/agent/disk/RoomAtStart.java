package io.stoker.agent.disk;

import io.stoker.agent.runner.RunFolders;
import io.stoker.agent.spawn.Reserve;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import org.jboss.logging.Logger;

/**
 * Makes room on a full disk before an agent that starts writes anything: else the first thing that
 * it cannot write would end it, and the next one too.
 */
public final class RoomAtStart {
  private static final Logger LOG = Logger.getLogger(RoomAtStart.class);

  /** More than all that a start writes. */
  private static final long ENOUGH = 1024 * 1024;

  private RoomAtStart() {}

  /**
   * Deletes what nobody needs, the oldest first, and gives the reserve up if that is not enough.
   */
  public static void make(Path data, Reserve reserve) {
    if (enough(data)) {
      return;
    }
    LOG.warnf("the disk of %s is full: making room", data);
    data.resolve("journal/log.new").toFile().delete();
    for (File spare : inside(data.resolve("spare"))) {
      RunFolders.delete(spare);
    }
    for (File ended : inside(RunFolders.aside(data))) {
      if (!enough(data)) {
        RunFolders.delete(ended);
      }
    }
    if (!enough(data)) {
      reserve.release();
    }
  }

  /** The oldest first. */
  private static File[] inside(Path folder) {
    File[] found = folder.toFile().listFiles();
    File[] all = found == null ? new File[0] : found;
    Arrays.sort(all, Comparator.comparingLong(File::lastModified));
    return all;
  }

  private static boolean enough(Path data) {
    try {
      return data.toFile().getUsableSpace() >= ENOUGH && Probe.write(data);
    } catch (IOException e) {
      return false;
    }
  }
}
