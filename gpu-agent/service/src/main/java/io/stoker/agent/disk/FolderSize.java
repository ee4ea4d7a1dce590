package io.stoker.agent.disk;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Adds up files. Links are not followed, and what goes away meanwhile is not counted. */
final class FolderSize extends SimpleFileVisitor<Path> {
  private long bytes;

  private FolderSize() {}

  /** Bytes of all files below a folder, or of the file itself; 0 if it is not there. */
  static long of(Path folder) {
    FolderSize size = new FolderSize();
    try {
      Files.walkFileTree(folder, size);
    } catch (IOException e) {
      return size.bytes; // it was removed under our eyes
    }
    return size.bytes;
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
    bytes += attributes.isRegularFile() ? attributes.size() : 0;
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFileFailed(Path file, IOException e) {
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult postVisitDirectory(Path folder, IOException e) {
    return FileVisitResult.CONTINUE;
  }
}
