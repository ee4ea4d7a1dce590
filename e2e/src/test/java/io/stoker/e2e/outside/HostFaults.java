package io.stoker.e2e.outside;

import io.stoker.cli.stack.child.Child;
import io.stoker.cli.stack.child.ChildSpec;
import io.stoker.e2e.outside.Lane.Fault;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;

/** What may happen to agents, their helpers, their journals and their identity. */
final class HostFaults {
  private static final List<String> HOSTS = List.of("host-1", "host-2");

  private final StokerStack stack;
  private final HostDisks disks;
  private final PoweredHost powered;
  private final Random random;
  private final Path folder;
  private final int leaseMs;
  private int twins;

  /**
   * @param powered the one whose power is cut
   * @param folder for agents that should not be
   * @param leaseMs of a host, ms
   */
  HostFaults(
      StokerStack stack,
      HostDisks disks,
      PoweredHost powered,
      long seed,
      Path folder,
      int leaseMs) {
    this.stack = stack;
    this.disks = disks;
    this.powered = powered;
    this.folder = folder;
    this.leaseMs = leaseMs;
    random = new Random(seed);
  }

  Map<String, Fault> all() {
    Map<String, Fault> faults = new HashMap<>();
    faults.put("agent killed", () -> kill(host()));
    faults.put("agent stopped for a while", () -> pause(random.nextInt(leaseMs / 2)));
    faults.put("agent stopped past its lease", () -> pause(2 * leaseMs));
    faults.put("agent restarted", () -> agent(host()).restart());
    faults.put("watchdog killed", () -> killHelper("watchdog.sh"));
    faults.put("spawner killed", () -> killHelper("SpawnerMain"));
    faults.put("keeper killed", () -> killHelper("KeeperMain"));
    faults.put("journal lost", this::loseJournal);
    faults.put("journal damaged", this::damageJournal);
    faults.put("disk full", () -> disks.fill(host(), random.nextInt(2 * leaseMs)));
    faults.put("power lost", powered::losePower);
    faults.put("twin with a journal of its own", () -> twin(false));
    faults.put("twin with a copy of the journal", () -> twin(true));
    return faults;
  }

  private String host() {
    return HOSTS.get(random.nextInt(HOSTS.size()));
  }

  private Child agent(String host) {
    Child agent = stack.processes().child("agent-" + host);
    return agent.name().equals(powered.agent().name()) ? powered.agent() : agent;
  }

  private void kill(String host) throws Exception {
    ServiceFaults.kill(agent(host));
  }

  private Child pause(String host) throws Exception {
    Child agent = agent(host);
    agent.awaitAnother(0, ServiceFaults.PATIENCE); // it may have ended by another fault
    agent.pause();
    return agent;
  }

  private void pause(int ms) throws Exception {
    Child agent = pause(host());
    try {
      Thread.sleep(ms);
    } finally {
      agent.resume();
    }
  }

  /** Kills what serves an agent and has a word in its command line. */
  private void killHelper(String word) {
    Path data = stack.data().agent(host());
    Traces.processesNaming(data).stream()
        .filter(process -> commandLine(process).contains(word))
        .forEach(ProcessHandle::destroyForcibly);
  }

  private static String commandLine(ProcessHandle process) {
    try {
      Path file = Path.of("/proc", Long.toString(process.pid()), "cmdline");
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // it has just ended
    }
  }

  private void loseJournal() throws Exception {
    String host = host();
    pause(host); // so that it writes no other
    delete(journal(host));
    kill(host);
  }

  private void damageJournal() throws Exception {
    String host = host();
    pause(host);
    try (Stream<Path> files = Files.list(journal(host))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        flip(file);
      }
    }
    kill(host);
  }

  private void flip(Path file) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      if (bytes.length() > 0) {
        long at = (long) (random.nextDouble() * bytes.length());
        bytes.seek(at);
        int value = bytes.read();
        bytes.seek(at);
        bytes.write(value ^ 1 << random.nextInt(8));
      }
    }
  }

  private Path journal(String host) {
    return disks.data(host).resolve("journal");
  }

  /** A second agent under a host's name, for a while. */
  private void twin(boolean cloned) throws Exception {
    String host = host();
    String name = "twin-" + ++twins;
    Path data = folder.resolve(name);
    if (cloned) {
      copy(disks.data(host), data);
    }
    ChildSpec spec = agent(host).spec();
    Map<String, String> environment = new HashMap<>(spec.environment());
    environment.put("STOKER_AGENT_DATA", data.toString());
    environment.put("STOKER_AGENT_ON_STOP", "end");
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    Child twin =
        new Child(
            ChildSpec.of(
                name,
                spec.role(),
                spec.command(),
                environment,
                Files.createDirectories(folder.resolve(name + "-run")),
                stack.data().log(name),
                spec.stop().grace()),
            timer,
            new Child.Watcher() {
              @Override
              public void changed(Child child) {}

              @Override
              public void said(Child child, String what) {}
            });
    try {
      twin.start();
      Thread.sleep(leaseMs + random.nextInt(leaseMs));
    } finally {
      twin.stop();
      timer.shutdownNow();
    }
    delete(data);
  }

  /** Of a folder that is in use; what comes and goes meanwhile is left out. */
  private static void copy(Path from, Path to) throws IOException {
    Path journal = from.resolve("journal");
    Files.createDirectories(to.resolve("journal"));
    try (Stream<Path> files = Files.list(journal)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    } catch (NoSuchFileException e) {
      // It has just been replaced: the twin has part of a journal.
    }
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
