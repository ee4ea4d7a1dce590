package io.stoker.agent.nvml;

import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the real binding over the stand-in library: each has a world and an open NVML. */
public abstract class OnFakeNvml {
  private final Path library;
  protected FakeWorld world;
  protected NvmlApi nvml;

  protected OnFakeNvml(Variant variant) {
    library = FakeNvmlCompiler.library(variant);
  }

  @BeforeEach
  void open(@TempDir Path dir) {
    world = FakeWorld.in(dir, library);
    addGpus();
    nvml = ((NvmlStart.Ready) Nvml.open(library.toString())).api();
  }

  /** Which GPUs are there before NVML is opened. */
  protected abstract void addGpus();

  @AfterEach
  void close() {
    nvml.close();
  }
}
