package io.stoker.cli.shell;

import io.stoker.cli.local.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

/** Runs the scripts of the repository in an environment that a test lays out. */
final class Shell {
  record Result(int exitCode, String output) {}

  private Shell() {}

  /** The repository's root. */
  static Path root() {
    return Home.locate().root();
  }

  static Result run(Map<String, String> environment, List<String> command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes());
    return new Result(process.waitFor(), output.strip());
  }

  /** A program that is a line of shell. */
  static void program(Path file, String script) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Something that looks like a JDK of a version; its java says where it lies. */
  static Path jdk(Path home, String version) throws IOException {
    program(home.resolve("bin/java"), "echo \"java of %s: $*\"".formatted(home));
    program(home.resolve("bin/javac"), "exit 1");
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"%s\"\n".formatted(version));
    return home;
  }
}
