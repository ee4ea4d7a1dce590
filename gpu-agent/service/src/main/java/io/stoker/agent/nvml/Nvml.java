package io.stoker.agent.nvml;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.stoker.agent.gpu.NvmlCodes;
import io.stoker.agent.gpu.NvmlException;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Opens NVML. Initialising takes up to seconds, and an open NVML keeps a GPU from being reset: open
 * it once in an agent's life, and close it for maintenance.
 *
 * <p>The functions are bound per JVM, so at most one NVML is open at a time.
 */
public final class Nvml {
  private static final AtomicBoolean OPEN = new AtomicBoolean();

  private Nvml() {}

  /**
   * Loads and initialises NVML.
   *
   * @param library a name for the system's loader, or an absolute path
   * @throws IllegalStateException if NVML is already open in this JVM
   */
  public static NvmlStart open(String library) {
    if (!OPEN.compareAndSet(false, true)) {
      throw new IllegalStateException("NVML is already open in this process; close it first");
    }
    boolean ready = false;
    try {
      NvmlStart start = load(library);
      ready = start instanceof NvmlStart.Ready;
      return start;
    } finally {
      if (!ready) {
        OPEN.set(false);
      }
    }
  }

  private static NvmlStart load(String library) {
    NativeLibrary loaded;
    try {
      // Touched first, so that trouble of JNA's own is not taken for a missing driver.
      Native.toString(new byte[] {0});
    } catch (LinkageError e) {
      return failed("JNA cannot load its native part: " + e.getMessage());
    }
    try {
      loaded = NativeLibrary.getInstance(library);
    } catch (UnsatisfiedLinkError e) {
      return new NvmlStart.NoGpu("NVML cannot be loaded from %s: %s".formatted(library, reason(e)));
    }
    try {
      Native.register(CoreSymbols.class, loaded);
    } catch (UnsatisfiedLinkError e) {
      return failed("%s is not a usable NVML: %s".formatted(library, reason(e)));
    }
    return initialize(loaded);
  }

  private static NvmlStart initialize(NativeLibrary library) {
    Calls calls = new Calls();
    int code = CoreSymbols.nvmlInit_v2();
    if (code != NvmlCodes.SUCCESS) {
      NvmlException failure = calls.failure(code, "nvmlInit_v2", Calls.HOST);
      Native.unregister(CoreSymbols.class);
      return NvmlCodes.isNoDriver(code)
          ? new NvmlStart.NoGpu("No NVIDIA driver is running here: " + failure.getMessage())
          : failed(failure);
    }
    OptionalSymbols optional = new OptionalSymbols(library);
    return count(new JnaNvml(optional, () -> shutdown(optional, calls)));
  }

  private static NvmlStart count(JnaNvml nvml) {
    try {
      if (nvml.count() > 0) {
        return new NvmlStart.Ready(nvml);
      }
      String driver = nvml.versions().driver();
      nvml.close();
      return new NvmlStart.NoGpu("The NVIDIA driver %s sees no GPU".formatted(driver));
    } catch (NvmlException e) {
      nvml.close();
      return failed(e);
    }
  }

  private static void shutdown(OptionalSymbols optional, Calls calls) {
    try {
      calls.require(CoreSymbols.nvmlShutdown(), "nvmlShutdown", Calls.HOST);
    } finally {
      optional.unregister();
      Native.unregister(CoreSymbols.class);
      OPEN.set(false);
    }
  }

  private static NvmlStart failed(NvmlException e) {
    return new NvmlStart.Failed(e.getMessage(), OptionalInt.of(e.code()));
  }

  private static NvmlStart failed(String reason) {
    return new NvmlStart.Failed(reason, OptionalInt.empty());
  }

  /**
   * JNA's message is a line that says no more than that, and then a line for each place it
   * searched, of which the first has the loader's own words.
   */
  private static String reason(Throwable e) {
    List<String> lines = String.valueOf(e.getMessage()).lines().map(String::strip).toList();
    return lines.get(lines.size() > 1 ? 1 : 0);
  }
}
