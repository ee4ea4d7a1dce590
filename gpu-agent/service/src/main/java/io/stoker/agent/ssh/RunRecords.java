package io.stoker.agent.ssh;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.agent.ssh.NodeGpus.Taken;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Records runs on nodes: a file a run, on the disk before anything is asked of its node, until
 * nothing is left there. So no run is forgotten, not even by a power cut.
 */
final class RunRecords {
  private static final String SUFFIX = ".json";
  private static final String GPUS = "gpus";
  private static final String SHARE = "share";

  private final Path folder;

  RunRecords(Path folder) throws IOException {
    this.folder = OwnFiles.folder(folder);
  }

  /**
   * Where a run is.
   *
   * @param node its name
   * @param folder of the run on the node
   * @param gpus of the node that it has; empty where nothing is said of these
   */
  record RunRecord(String node, String folder, Optional<Taken> gpus) {}

  void write(String run, RunRecord record) throws IOException {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("node", record.node());
    json.put("folder", record.folder());
    record
        .gpus()
        .ifPresent(
            gpus -> {
              gpus.ids().forEach(json.putArray(GPUS)::add);
              gpus.share().ifPresent(bytes -> json.put(SHARE, bytes));
            });
    Path fresh = folder.resolve(run + ".new");
    try (FileChannel to =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(Json.bytes(json));
      while (bytes.hasRemaining()) {
        to.write(bytes); // on a disk that is about to be full, a part
      }
      to.force(true);
    }
    Files.move(fresh, file(run), StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  /** What is known of a run; nothing if nothing was asked of a node for it. */
  Optional<RunRecord> read(String run) throws IOException {
    try {
      JsonNode json = Json.read(Files.readAllBytes(file(run)));
      String node = json.path("node").asText();
      String at = json.path("folder").asText();
      if (node.isEmpty() || at.isEmpty()) {
        throw new IOException(file(run) + " names no node, or no folder there");
      }
      return Optional.of(new RunRecord(node, at, gpus(json)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (MalformedJson e) {
      throw new IOException(file(run) + " is not readable: " + e.getMessage(), e);
    }
  }

  private static Optional<Taken> gpus(JsonNode json) {
    JsonNode share = json.path(SHARE);
    return Optional.ofNullable(json.get(GPUS))
        .map(all -> StreamSupport.stream(all.spliterator(), false).map(JsonNode::asText).toList())
        .map(
            ids ->
                new Taken(
                    ids,
                    share.isNumber() ? OptionalLong.of(share.asLong()) : OptionalLong.empty()));
  }

  /** The names of all runs. */
  List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(SUFFIX))
          .map(name -> name.substring(0, name.length() - SUFFIX.length()))
          .toList();
    }
  }

  void delete(String run) throws IOException {
    Files.deleteIfExists(file(run));
  }

  private Path file(String run) {
    return folder.resolve(run + SUFFIX);
  }
}
