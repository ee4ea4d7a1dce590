package io.stoker.agent.container;

import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A script by which the watchdog ends containers when the lease has run out: they are no processes
 * of the agent's, and mostly another user's. Called with {@code list} it says which there are, with
 * {@code kill} it ends them.
 */
final class ExpiryHook {
  /** Where engines' commands look for their engine. */
  private static final List<String> PASSED =
      List.of(
          "HOME",
          "XDG_RUNTIME_DIR",
          "DOCKER_HOST",
          "DOCKER_CONTEXT",
          "DOCKER_CONFIG",
          "DOCKER_CERT_PATH",
          "DOCKER_TLS_VERIFY",
          "CONTAINER_HOST",
          "CONTAINERD_ADDRESS");

  private static final String FOLDER = "on-expiry";
  private static final String NAME = "containers";
  private static final Pattern LABEL =
      Pattern.compile(Pattern.quote(CreateArguments.OWNER_LABEL) + "=([0-9A-Za-z-]+)");

  private ExpiryHook() {}

  /** Whose containers the one ends that an earlier agent has written, if one has. */
  static Optional<String> owner(Path data) throws IOException {
    try {
      Matcher label =
          LABEL.matcher(
              Files.readString(data.resolve(FOLDER).resolve(NAME), StandardCharsets.ISO_8859_1));
      return label.find() ? Optional.of(label.group(1)) : Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  static void write(Path data, String cli, String owner, Map<String, String> environment)
      throws IOException {
    Path folder = OwnFiles.folder(data.resolve(FOLDER));
    StringBuilder script = new StringBuilder("#!/bin/sh\n");
    for (String variable : PASSED) {
      if (environment.containsKey(variable)) {
        script.append("export %s=%s\n".formatted(variable, quoted(environment.get(variable))));
      }
    }
    String label = quoted("label=" + CreateArguments.OWNER_LABEL + "=" + owner);
    script.append("ids=$(%s ps --quiet --filter %s) || exit\n".formatted(quoted(cli), label));
    script.append("[ -n \"$ids\" ] || exit 0\n");
    script.append(
        "if [ \"$1\" = list ]; then echo $ids; else %s kill $ids; fi\n".formatted(quoted(cli)));
    Path fresh = folder.resolve("containers.new");
    Files.writeString(fresh, script);
    Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwx------"));
    Files.move(
        fresh,
        folder.resolve(NAME),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
