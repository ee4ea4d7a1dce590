package io.stoker.common.text;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says in words what went wrong with a file or a folder: those exceptions name the path alone. */
public final class FileTrouble {
  private FileTrouble() {}

  /** Of one that was to be read. */
  public static String reading(IOException trouble) {
    return trouble instanceof AccessDeniedException denied
        ? "there is no right to read " + denied.getFile()
        : text(trouble);
  }

  /** Such as {@code there is no right to write to /data}. */
  public static String text(IOException trouble) {
    return switch (trouble) {
      case AccessDeniedException denied -> "there is no right to write to " + denied.getFile();
      case FileAlreadyExistsException there -> there.getFile() + " is a file";
      case NotDirectoryException file -> file.getFile() + " is no folder";
      case NoSuchFileException absent -> "there is no " + absent.getFile();
      case FileSystemException other when other.getReason() != null ->
          "%s: %s".formatted(other.getFile(), other.getReason());
      default ->
          trouble.getMessage() == null ? trouble.getClass().getSimpleName() : trouble.getMessage();
    };
  }
}
