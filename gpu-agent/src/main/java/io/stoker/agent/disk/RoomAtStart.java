package io.stoker.agent.disk;

import io.stoker.agent.runner.RunFolders;
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
    RunFolders.delete(data.resolve("spare").toFile());
    RunFolders.delete(data.resolve("journal/log.new").toFile());
    File[] ended = RunFolders.aside(data).toFile().listFiles();
    if (ended != null) {
      Arrays.sort(ended, Comparator.comparingLong(File::lastModified));
      for (int i = 0; i < ended.length && !enough(data); i++) {
        RunFolders.delete(ended[i]);
      }
    }
    if (!enough(data)) {
      reserve.release();
    }
  }

  private static boolean enough(Path data) {
    try {
      return data.toFile().getUsableSpace() >= ENOUGH && Probe.write(data);
    } catch (IOException e) {
      return false;
    }
  }
}
