package io.stoker.cli.stack.sim;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.stack.child.Guard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The library that stands in for NVIDIA's, compiled by this machine's C compiler once for each
 * state of its source.
 */
public final class SimulatedDriver {
  private static final String NAME = "libnvidia-ml.so.1";
  private static final List<String> FLAGS =
      List.of(
          "-shared",
          "-fPIC",
          "-std=c11",
          "-D_GNU_SOURCE",
          "-O1",
          "-fvisibility=hidden",
          "-pthread",
          "-Wl,-soname," + NAME);

  private final Path source;
  private final Path cache;
  private final Function<String, Optional<String>> onPath;

  /**
   * @param cache folder that compiled libraries are kept in
   */
  public SimulatedDriver(Path source, Path cache) {
    this(source, cache, Guard::onPath);
  }

  SimulatedDriver(Path source, Path cache, Function<String, Optional<String>> onPath) {
    this.source = source;
    this.cache = cache;
    this.onPath = onPath;
  }

  /**
   * The library, compiled if that was not done yet.
   *
   * @throws CliException if this machine has no C compiler, or it fails
   */
  public Path library() throws IOException, InterruptedException {
    Path library = cache.resolve("simulated-driver-" + digest()).resolve(NAME);
    if (!Files.isRegularFile(library)) {
      compile(library);
    }
    return library;
  }

  private void compile(Path library) throws IOException, InterruptedException {
    String compiler =
        Stream.of("cc", "gcc", "clang")
            .map(onPath)
            .flatMap(Optional::stream)
            .findFirst()
            .orElseThrow(
                () ->
                    CliException.failed(
                        "simulated GPUs need a C compiler, and neither cc, gcc nor clang is on the"
                            + " path: install one (Debian: gcc libc6-dev), or leave out --gpus"));
    Files.createDirectories(library.getParent());
    Path fresh = Files.createTempFile(library.getParent(), "fresh", ".so");
    List<String> command = new ArrayList<>(List.of(compiler));
    command.addAll(FLAGS);
    command.addAll(List.of("-o", fresh.toString(), source.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said;
    try (var output = process.inputReader()) {
      said = String.join("\n", output.lines().toList());
    }
    if (process.waitFor() != 0) {
      Files.deleteIfExists(fresh);
      throw CliException.failed(
          "the library of the simulated GPUs does not compile: %s%n%s".formatted(command, said));
    }
    // Renamed into place: another stack may be compiling it, too.
    Files.move(fresh, library, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private String digest() throws IOException {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(source));
      return HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
