package io.stoker.agent.ssh;

import io.stoker.agent.device.DeviceException;
import io.stoker.agent.device.DeviceId;
import io.stoker.agent.device.DeviceList;
import io.stoker.common.size.ByteSize;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code user@host[:port] [keyfile] [gpus=0,1] [gpu-memory=24GiB]}. */
public final class NodeLine implements MappingFile.Line<Node> {
  private static final Pattern NODE =
      Pattern.compile("([^@\\s]+)@(?:\\[([0-9a-fA-F:.%]+)\\]|([^:@\\[\\]\\s]+))(?::(.*))?");
  private static final int MAX_PORT = 65_535;
  private static final Pattern OPTION = Pattern.compile("([a-z-]+)=(.*)");
  private static final String GPUS = "gpus";
  private static final String GPU_MEMORY = "gpu-memory";
  private static final String EXPECTED =
      "expected user@host[:port] [keyfile] [gpus=0,1] [gpu-memory=24GiB]";

  private final Path mapping;

  private NodeLine(Path mapping) {
    this.mapping = mapping;
  }

  /** The nodes of a mapping file, by name, in its order. */
  public static Map<String, Node> nodes(Path mapping) {
    return MappingFile.read(mapping, new NodeLine(mapping));
  }

  static Map<String, Node> nodes(Path mapping, List<String> lines) {
    return MappingFile.parse(mapping, lines, new NodeLine(mapping));
  }

  @Override
  public Node read(List<String> words) {
    Matcher node = NODE.matcher(words.getFirst());
    List<String> keys = new ArrayList<>();
    Map<String, String> options = new HashMap<>();
    for (String word : words.subList(1, words.size())) {
      Matcher option = OPTION.matcher(word);
      if (!option.matches()) {
        keys.add(word);
      } else if (!List.of(GPUS, GPU_MEMORY).contains(option.group(1))) {
        throw new IllegalArgumentException(
            "'%s' is neither gpus=… nor gpu-memory=…; %s".formatted(word, EXPECTED));
      } else if (options.put(option.group(1), option.group(2)) != null) {
        throw new IllegalArgumentException(option.group(1) + "= is there twice; " + EXPECTED);
      }
    }
    if (keys.size() > 1 || !node.matches()) {
      throw new IllegalArgumentException(EXPECTED);
    }
    String host = Optional.ofNullable(node.group(2)).orElse(node.group(3));
    int port = node.group(4) == null ? Node.STANDARD_PORT : port(node.group(4));
    return new Node(
        node.group(1),
        host,
        port,
        keys.stream().findFirst().map(key -> MappingFile.key(mapping, key)),
        host,
        gpus(options));
  }

  private static Optional<NodeGpus> gpus(Map<String, String> options) {
    Optional<String> memory = Optional.ofNullable(options.get(GPU_MEMORY));
    if (memory.isPresent() && !options.containsKey(GPUS)) {
      throw new IllegalArgumentException(
          "gpu-memory=%s says nothing without gpus=…".formatted(memory.get()));
    }
    return Optional.ofNullable(options.get(GPUS))
        .map(list -> new NodeGpus(ids(list), bytes(memory)));
  }

  private static List<String> ids(String list) {
    try {
      return DeviceList.parse(list).ids().stream().map(DeviceId::text).toList();
    } catch (DeviceException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static OptionalLong bytes(Optional<String> memory) {
    try {
      return memory.isEmpty()
          ? OptionalLong.empty()
          : OptionalLong.of(ByteSize.parse(memory.get()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("gpu-memory: " + e.getMessage(), e);
    }
  }

  private static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      if (port > 0 && port <= MAX_PORT) {
        return port;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new IllegalArgumentException("port '" + text + "' is not a number from 1 to " + MAX_PORT);
  }
}
