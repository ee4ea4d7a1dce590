package io.stoker.agent.nvml;

import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the real binding over the stand-in library: each has a world and an open NVML. */
public abstract class OnFakeNvml {
  private final Path library;
  private final long[] memory;
  protected FakeWorld world;
  protected NvmlApi nvml;

  /**
   * @param memory of each GPU that is there before NVML is opened, in bytes
   */
  protected OnFakeNvml(Variant variant, long... memory) {
    library = FakeNvmlCompiler.library(variant);
    this.memory = memory;
  }

  /** UUID of the GPU of an index. */
  protected static String gpu(int index) {
    return FakeWorld.uuid(index);
  }

  @BeforeEach
  void open(@TempDir Path dir) {
    world = FakeWorld.in(dir, library);
    for (int i = 0; i < memory.length; i++) {
      world.addGpu(i, memory[i]);
    }
    nvml = ((NvmlStart.Ready) Nvml.open(library.toString())).api();
  }

  @AfterEach
  void close() {
    nvml.close();
  }
}
