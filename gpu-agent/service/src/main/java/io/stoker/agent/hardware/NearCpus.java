package io.stoker.agent.hardware;

import io.stoker.agent.device.CpuSet;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.runner.Affinity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Those near the devices, of those on which the agent itself may run. */
public final class NearCpus implements Affinity {
  private static final String ALLOWED = "Cpus_allowed_list:";

  private final Supplier<Inventory> inventory;
  private final CpuSet own;

  public NearCpus(Supplier<Inventory> inventory, CpuSet own) {
    this.inventory = inventory;
    this.own = own;
  }

  /** Those on which this process may run. */
  public static CpuSet own() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status"), StandardCharsets.ISO_8859_1).stream()
        .filter(line -> line.startsWith(ALLOWED))
        .map(line -> CpuSet.parse(line.substring(ALLOWED.length())))
        .findFirst()
        .orElse(CpuSet.NONE);
  }

  /** Where that is all of them, nothing need be said. */
  @Override
  public CpuSet of(List<String> devices) {
    CpuSet near = inventory.get().near(devices).and(own);
    return near.equals(own) ? CpuSet.NONE : near;
  }
}
