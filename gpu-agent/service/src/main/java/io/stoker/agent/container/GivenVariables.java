package io.stoker.agent.container;

import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Passes a container's variables to its engine by a file that the agent alone can read, since the
 * arguments of a process are everybody's to read. A value that does not fit into a line of such a
 * file is inherited from the engine's command, which must not go by it itself.
 *
 * @param inFile a line each
 * @param inherited from the environment of the engine's command
 */
record GivenVariables(List<String> inFile, Map<String, String> inherited) {
  /** The longest line that docker reads has 64 KiB. */
  private static final int LINE = 60 * 1024;

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*");

  /** What loaders, shells, languages and engines go by. */
  private static final Pattern HEEDED =
      Pattern.compile(
          "(?i)(?:PATH|HOME|USER|LOGNAME|SHELL|(?:OLD)?PWD|TE?MP|TMPDIR|IFS|ENV|PS\\d|CDPATH|SHELLOPTS"
              + "|HOSTALIASES|LOCALDOMAIN|NLSPATH|LOCPATH|LANG.*|LC_.*|TZ.*|_.*|(?:LD|GLIBC|GCONV"
              + "|MALLOC|RES|BASH|GO|DOCKER|CONTAINERS?|CONTAINERD|PODMAN|NERDCTL|BUILDAH|BUILDKIT"
              + "|XDG|DBUS|SSL|SSH|HTTPS?|ALL|NO|PYTHON|PERL|RUBY|NODE|JAVA|JDK|NOTIFY|LISTEN"
              + "|REGISTRY|STORAGE|CNI|NETAVARK|SYSTEMD|KUBE|AWS)[A-Z0-9_.-]*)");

  /**
   * Sorts them.
   *
   * @throws IOException if an engine cannot be given one
   */
  static GivenVariables of(Map<String, String> variables) throws IOException {
    List<String> lines = new ArrayList<>();
    Map<String, String> inherited = new TreeMap<>();
    for (Map.Entry<String, String> each : variables.entrySet()) {
      String name = each.getKey();
      String line = name + "=" + each.getValue();
      if (!NAME.matcher(name).matches()) {
        throw new IOException(
            "env has a variable '%s', which no container can be given: expected letters, digits and _"
                .formatted(name));
      }
      if (fits(line)) {
        lines.add(line);
      } else if (HEEDED.matcher(name).matches()) {
        throw new IOException(
            "env.%s has several lines or more than %d bytes, and engines go by a variable of that"
                    .formatted(name, LINE)
                + " name themselves: give the job such a value by a file or by params");
      } else {
        inherited.put(name, each.getValue());
      }
    }
    return new GivenVariables(lines, inherited);
  }

  private static boolean fits(String line) {
    return line.indexOf('\n') < 0
        && line.indexOf('\r') < 0
        && line.getBytes(StandardCharsets.UTF_8).length <= LINE;
  }

  /** The engine's arguments. */
  List<String> arguments(Path file) {
    List<String> all = new ArrayList<>(List.of("--env-file", file.toString()));
    inherited.keySet().forEach(name -> all.addAll(List.of("--env", name)));
    return all;
  }

  /** Writes the file anew. */
  void write(Path file) throws IOException {
    StringBuilder text = new StringBuilder();
    inFile.forEach(line -> text.append(line).append('\n'));
    try (FileChannel out =
        OwnFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
    }
  }
}
