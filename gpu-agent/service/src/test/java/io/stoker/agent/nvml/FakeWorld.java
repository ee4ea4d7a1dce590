package io.stoker.agent.nvml;

import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The state folder of the C stand-in, as a test changes it. The format is described in {@code
 * src/main/native-sim/README.md}.
 */
public final class FakeWorld {

  public static final long GIB = 1L << 30;

  private final Path dir;

  /**
   * Held for as long as the world is: a library that nobody holds is unloaded, and loaded again it
   * has forgotten its folder.
   */
  @SuppressWarnings("unused")
  private final NativeLibrary loaded;

  private FakeWorld(Path dir, NativeLibrary loaded) {
    this.dir = dir;
    this.loaded = loaded;
  }

  /** An empty world in a folder, which the library is made to read. */
  public static FakeWorld in(Path dir, Path library) {
    NativeLibrary loaded = NativeLibrary.getInstance(library.toString());
    loaded.getFunction("fake_nvml_set_state_dir").invokeVoid(new Object[] {dir.toString()});
    FakeWorld world = new FakeWorld(dir, loaded);
    // Most tests name processes that do not exist.
    return world.with("dead_lag_ms", "-1");
  }

  public Path dir() {
    return dir;
  }

  /** Which UUID a GPU has. */
  static String uuid(int index) {
    return "GPU-%08x-0000-4000-8000-000000000000".formatted(index);
  }

  /** Adds a GPU with memory in bytes, and returns its UUID. */
  public String addGpu(int index, long memoryTotal) {
    String uuid = uuid(index);
    String gpu = "gpu" + index + "/";
    with(gpu + "memory_total", memoryTotal).with(gpu + "name", "Fake GPU " + index);
    with(gpu + "uuid", uuid);
    return uuid;
  }

  /** Adds a MIG device to a GPU, puts the GPU into MIG mode, and returns the device's UUID. */
  public String addMig(int gpu, int index, long memoryTotal) {
    String uuid = "MIG-%08x-%04x-4000-8000-000000000000".formatted(gpu, index);
    String mig = "gpu" + gpu + "/mig" + index + "/";
    with("gpu" + gpu + "/mig_mode", "1 1");
    with(mig + "memory_total", memoryTotal).with(mig + "name", "Fake GPU MIG 1g." + index);
    with(mig + "uuid", uuid);
    return uuid;
  }

  /** Writes one file of the folder, at once. */
  public FakeWorld with(String file, Object content) {
    Path path = dir.resolve(file);
    try {
      Files.createDirectories(path.getParent());
      Path fresh = path.resolveSibling("." + path.getFileName());
      Files.writeString(fresh, content + "\n");
      Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public FakeWorld without(String file) {
    try {
      Files.delete(dir.resolve(file));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a function fail everywhere. */
  public FakeWorld failing(String function, int code) {
    return with("errors/" + function, code);
  }

  /** Makes a function fail for one GPU. */
  public FakeWorld failing(int gpu, String function, int code) {
    return with("gpu" + gpu + "/errors/" + function, code);
  }

  public FakeWorld withProcess(int gpu, long pid, Object bytes) {
    return with("gpu" + gpu + "/processes/" + pid, bytes);
  }
}
