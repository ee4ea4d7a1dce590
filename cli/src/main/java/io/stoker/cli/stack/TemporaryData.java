package io.stoker.cli.stack;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.stack.child.Unpacked;
import java.io.IOException;
import java.nio.file.Files;

/** A data folder for one stack that nobody needs afterwards; closing removes it. */
public final class TemporaryData implements AutoCloseable {
  private final DataFolder folder;

  private TemporaryData(DataFolder folder) {
    this.folder = folder;
  }

  /** Makes one among the system's temporary files, readable by its owner alone. */
  public static TemporaryData create(String prefix) throws IOException {
    return new TemporaryData(new DataFolder(Files.createTempDirectory(prefix)));
  }

  public DataFolder folder() {
    return folder;
  }

  /** Removes the folder with all that is in it; links are removed, not followed. */
  @Override
  public void close() throws IOException {
    Unpacked.delete(folder.root());
  }
}
