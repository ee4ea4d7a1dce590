package io.stoker.e2e.outside;

import io.stoker.cli.stack.StackOptions;
import io.stoker.common.fixture.SmallDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A file system for the data of each host, which can be filled while all others have room. */
final class HostDisks implements AutoCloseable {
  private static final int MIB = 400;

  private final Map<String, SmallDisk> disks = new TreeMap<>();

  private HostDisks() {}

  static HostDisks mount(Path folder, List<String> hosts) throws Exception {
    HostDisks all = new HostDisks();
    for (String host : hosts) {
      all.disks.put(host, SmallDisk.mount(Files.createDirectories(folder.resolve(host)), MIB, 0));
    }
    return all;
  }

  /** The options of a stack whose hosts have their data here. */
  StackOptions in(StackOptions options) {
    Map<String, Map<String, String>> environments =
        new HashMap<>(options.environments().byService());
    disks
        .keySet()
        .forEach(
            host ->
                environments.put(
                    "agent-" + host,
                    Map.of(
                        "STOKER_AGENT_DATA", data(host).toString(),
                        "STOKER_AGENT_DISK_FREE_FLOOR", "40MiB",
                        "STOKER_AGENT_DISK_REFUSE_BELOW", "30MiB",
                        "STOKER_AGENT_DISK_LOOK_EVERY", "1s")));
    return options.withEnvironments(environments);
  }

  /** The folder of a host's agent. */
  Path data(String host) {
    return disks.get(host).root().resolve("data");
  }

  SmallDisk disk(String host) {
    return disks.get(host);
  }

  /** Leaves no byte free for a while. */
  void fill(String host, int ms) throws Exception {
    Path filling = disks.get(host).fill();
    try {
      Thread.sleep(ms);
    } finally {
      Files.delete(filling);
    }
  }

  @Override
  public void close() throws Exception {
    for (SmallDisk disk : disks.values()) {
      disk.close();
    }
  }
}
