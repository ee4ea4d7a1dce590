package io.stoker.e2e.outside;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.cli.stack.child.Child;
import io.stoker.cli.stack.child.ChildSpec;
import io.stoker.common.fixture.SmallDisk;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A host whose power can be cut. With it go all processes of the host at once, and what was not
 * forced to its disk. When it is back the machine has another boot id for the agent, as after any
 * boot; its clock since boot goes on, which is this machine's.
 */
final class PoweredHost implements AutoCloseable {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** Shows who is started another file in the place of the boot id. */
  private static final List<String> BOOTED =
      List.of("unshare", "-m", "sh", "-c", "mount --bind \"$0\" " + BOOT_ID + " && exec \"$@\"");

  private final SmallDisk disk;
  private final Path bootId;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Child agent;

  private PoweredHost(SmallDisk disk, Path bootId, ChildSpec spec) {
    this.disk = disk;
    this.bootId = bootId;
    agent =
        new Child(
            spec,
            timer,
            new Child.Watcher() {
              @Override
              public void changed(Child child) {}

              @Override
              public void said(Child child, String what) {}
            });
  }

  /**
   * Takes the place of a host of a stack, which goes on from its data. Skips the test, with the
   * reason, where boots cannot be told apart.
   *
   * @param disk on which its data is
   * @param folder for its boot id, elsewhere
   */
  static PoweredHost insteadOf(Child before, SmallDisk disk, Path folder) throws Exception {
    Path bootId = folder.resolve(before.name() + ".boot");
    boot(bootId);
    List<String> look = new ArrayList<>(BOOTED);
    look.addAll(List.of(bootId.toString(), "cat", BOOT_ID.toString()));
    Process shown = new ProcessBuilder(look).redirectErrorStream(true).start();
    String said = new String(shown.getInputStream().readAllBytes());
    assumeTrue(said.equals(Files.readString(bootId)), "no boot can be told from another: " + said);
    before.stop();

    ChildSpec spec = before.spec();
    List<String> command = new ArrayList<>(BOOTED);
    command.add(bootId.toString());
    command.addAll(spec.command());
    PoweredHost host =
        new PoweredHost(
            disk,
            bootId,
            ChildSpec.of(
                spec.name(),
                spec.role(),
                command,
                spec.environment(),
                spec.workFolder(),
                spec.log(),
                spec.stop().grace()));
    host.agent.start();
    return host;
  }

  private static void boot(Path bootId) throws IOException {
    Files.writeString(bootId, UUID.randomUUID() + "\n");
  }

  /** As it runs there. */
  Child agent() {
    return agent;
  }

  /** Cuts its power, and gives it back. */
  void losePower() throws Exception {
    List<ProcessHandle> all = stopAll();
    disk.losePower();
    for (ProcessHandle one : all.reversed()) {
      one.destroyForcibly();
    }
    agent.stop();
    for (ProcessHandle one : all) {
      one.onExit().get(60, TimeUnit.SECONDS);
    }
    disk.again();
    boot(bootId);
    agent.start();
  }

  /** The agent first, all that runs for it, and what earlier agents have left. */
  private List<ProcessHandle> stopAll() throws Exception {
    List<ProcessHandle> stopped = new ArrayList<>();
    while (true) {
      Optional<ProcessHandle> next =
          Stream.concat(
                  agent.pid().flatMap(ProcessHandle::of).stream(),
                  Traces.processesNaming(disk.root()).stream())
              .flatMap(root -> Stream.concat(Stream.of(root), root.descendants()))
              .filter(one -> !stopped.contains(one))
              .findFirst();
      if (next.isEmpty()) {
        return stopped;
      }
      new ProcessBuilder("kill", "-STOP", Long.toString(next.get().pid())).start().waitFor();
      stopped.add(next.get());
    }
  }

  @Override
  public void close() {
    agent.stop();
    timer.shutdownNow();
  }
}
