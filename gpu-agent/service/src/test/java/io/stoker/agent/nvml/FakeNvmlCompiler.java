package io.stoker.agent.nvml;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Compiles the C stand-in for NVML. A machine without a C compiler fails the tests here, rather
 * than skipping them: what is tested is the real binding.
 */
public final class FakeNvmlCompiler {

  /** The library as recent drivers ship it, or as old ones did: with functions missing. */
  public enum Variant {
    CURRENT(List.of()),
    OLD(List.of("-DFAKE_NVML_OLD"));

    private final List<String> flags;

    Variant(List<String> flags) {
      this.flags = flags;
    }
  }

  private static final Path SOURCES = Path.of("src/main/native-sim");
  private static final Path TARGET = Path.of("target/fake-nvml");
  private static final List<String> FLAGS =
      List.of(
          "-shared",
          "-fPIC",
          "-std=c11",
          "-D_GNU_SOURCE",
          "-O1",
          "-Wall",
          "-Wextra",
          "-Werror",
          "-fvisibility=hidden",
          "-Wl,-soname,libnvidia-ml.so.1",
          "-Wl,-z,defs",
          "-pthread");
  private static final Map<Variant, Path> COMPILED = new ConcurrentHashMap<>();

  private FakeNvmlCompiler() {}

  /** The absolute path of a variant's library, compiled once a JVM. */
  public static Path library(Variant variant) {
    return COMPILED.computeIfAbsent(
        variant, v -> compile(SOURCES.resolve("fake_nvml.c"), v.name().toLowerCase(), v.flags));
  }

  /** Compiles any source of the test tree into a library of the same soname. */
  static Path compile(Path source, String folder, List<String> flags) {
    try {
      Path out = Files.createDirectories(TARGET.resolve(folder)).resolve("libnvidia-ml.so.1");
      Path fresh = Files.createTempFile(out.getParent(), "fresh", ".so");
      List<String> command = new ArrayList<>(List.of("cc", "-o", fresh.toString()));
      command.addAll(FLAGS);
      command.addAll(flags);
      command.add(source.toString());
      run(command);
      // Renamed into place: another JVM may have the former one mapped.
      return Files.move(
              fresh, out, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING)
          .toAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void run(List<String> command) throws IOException {
    Process compiler;
    try {
      compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IllegalStateException(
          "The tests of the GPU binding need a C compiler on the path as 'cc'; install one, e.g."
              + " the packages gcc and libc6-dev",
          e);
    }
    try (var output = compiler.inputReader()) {
      String said = String.join("\n", output.lines().toList());
      int code = compiler.waitFor();
      if (code != 0) {
        throw new IllegalStateException("cc failed with " + code + ": " + command + "\n" + said);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while compiling", e);
    }
  }
}
