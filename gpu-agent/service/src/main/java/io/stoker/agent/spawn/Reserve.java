package io.stoker.agent.spawn;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Space and files that lie on the disk for nothing but to be given up when it is full: then what
 * the agent, its watchdog and its spawner must write has room. It is made again when there is
 * enough.
 */
public final class Reserve {
  private static final String FOLDER = "reserve";
  private static final String BYTES = "bytes";

  /** As many files, and folders, can be made where no inode is left. */
  private static final int FILES = 32;

  /** So much more must be free for it to be made again: what gave it up may still go on. */
  private static final int AGAIN = 4;

  private static final byte[] PIECE = new byte[64 * 1024];

  private final Path folder;
  private final long bytes;

  /**
   * @param data the agent's data folder
   * @param bytes 0 for none
   */
  public Reserve(Path data, long bytes) {
    this.folder = data.resolve(FOLDER);
    this.bytes = bytes;
  }

  /** Makes it if it is not there, and there is room for it. */
  public synchronized void fill(long free) {
    Path blob = folder.resolve(BYTES);
    if (bytes == 0 || blob.toFile().length() == bytes || free < bytes * AGAIN) {
      return;
    }
    try {
      Files.createDirectories(folder);
      try (OutputStream out = Files.newOutputStream(blob)) {
        for (long left = bytes; left > 0; left -= PIECE.length) {
          out.write(PIECE, 0, (int) Math.min(left, PIECE.length));
        }
      }
      for (int i = 0; i < FILES; i++) {
        folder.resolve(Integer.toString(i)).toFile().createNewFile();
      }
    } catch (IOException e) {
      release(); // there is none to be had
    }
  }

  public synchronized void release() {
    release(folder);
  }

  /** The same for a process that has no more than the agent's data folder. */
  public static void releaseOf(Path data) {
    release(data.resolve(FOLDER));
  }

  private static void release(Path folder) {
    File[] files = folder.toFile().listFiles();
    for (File file : files == null ? new File[0] : files) {
      file.delete();
    }
    folder.toFile().delete();
  }
}
