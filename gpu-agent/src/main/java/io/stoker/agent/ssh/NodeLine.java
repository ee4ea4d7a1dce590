package io.stoker.agent.ssh;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code user@host[:port] [keyfile]}. */
public final class NodeLine implements MappingFile.Line<Node> {
  private static final Pattern NODE =
      Pattern.compile("([^@\\s]+)@(?:\\[([0-9a-fA-F:.%]+)\\]|([^:@\\[\\]\\s]+))(?::(.*))?");
  private static final int MAX_PORT = 65_535;

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
    if (words.size() > 2 || !node.matches()) {
      throw new IllegalArgumentException("expected user@host[:port] [keyfile]");
    }
    String host = Optional.ofNullable(node.group(2)).orElse(node.group(3));
    int port = node.group(4) == null ? Node.STANDARD_PORT : port(node.group(4));
    return new Node(node.group(1), host, port, MappingFile.key(mapping, words, 1), host);
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
