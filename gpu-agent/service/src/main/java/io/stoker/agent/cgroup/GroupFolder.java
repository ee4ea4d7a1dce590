package io.stoker.agent.cgroup;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The same by a folder: that of a group where the kernel shows its groups. */
public class GroupFolder implements GroupFiles {
  private final Path root;

  /**
   * @param root folder of the group
   */
  public GroupFolder(Path root) {
    this.root = root;
  }

  private Path folder(String group) {
    return root.resolve(group);
  }

  @Override
  public Path path(String group, String file) {
    return folder(group).resolve(file);
  }

  @Override
  public Optional<String> read(String group, String file) {
    try {
      return Optional.of(Files.readString(path(group, file), StandardCharsets.US_ASCII));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  @Override
  public void write(String group, String file, String text) throws IOException {
    // The kernel's files are there already; none may be made or cut short.
    Files.writeString(path(group, file), text, StandardOpenOption.WRITE);
  }

  @Override
  public List<String> below(String group) {
    try (Stream<Path> found = Files.list(folder(group))) {
      return found
          .filter(Files::isDirectory)
          .map(path -> path.getFileName().toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  @Override
  public void make(String group) throws IOException {
    try {
      Files.createDirectory(folder(group));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder(group))) {
        throw e;
      }
    }
  }

  @Override
  public boolean remove(String group) {
    try {
      return Files.deleteIfExists(folder(group)) || !Files.exists(folder(group));
    } catch (IOException e) {
      return !Files.exists(folder(group)); // somebody is in it still
    }
  }
}
