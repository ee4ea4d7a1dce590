package io.stoker.agent.aws;

import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * Records the instances that this agent has started and must stop: a file each, on the disk before
 * EC2 is asked, so that none runs on, and costs, because an agent died.
 */
final class StartedInstances {
  private final Path folder;

  StartedInstances(Path folder) throws IOException {
    this.folder = OwnFiles.folder(folder);
  }

  void put(String id) throws IOException {
    try (FileChannel mark =
        FileChannel.open(folder.resolve(id), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      mark.force(true);
    }
    try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  boolean has(String id) {
    return Files.exists(folder.resolve(id));
  }

  void remove(String id) throws IOException {
    Files.deleteIfExists(folder.resolve(id));
  }

  List<String> all() throws IOException {
    try (Stream<Path> instances = Files.list(folder)) {
      return instances.map(mark -> mark.getFileName().toString()).toList();
    }
  }
}
