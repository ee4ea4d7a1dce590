package io.stoker.agent.runner;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.cgroup.GroupRules;
import io.stoker.agent.cgroup.RunGroups;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.report.LogSink;
import io.stoker.agent.secret.HostSecrets;
import io.stoker.agent.spawn.BootClock;
import io.stoker.agent.spawn.DeadlineFile;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.supervise.Watchdog;
import io.stoker.common.fixture.APlace;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.ToAgent.Place;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A runner with its watchdog and launcher on a folder of its own: real processes. */
final class RunnerFixture implements AutoCloseable {
  /** Given where this is another JVM's stand-in for an agent. */
  static final String HOST = "node-a";

  static final String OWNER =
      System.getProperty("stoker.test.owner", "test-" + ProcessHandle.current().pid());

  final Path data;
  final BootClock clock = new BootClock();
  final DeadlineFile deadline;
  final Watchdog watchdog;
  final List<LogChunk> logs = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Input> inputs = new LinkedBlockingQueue<>();
  private final boolean keepEnded;

  /** What is to be said of the pieces of output that were sent while the broker was away. */
  final BlockingQueue<Runnable> untaken = new LinkedBlockingQueue<>();

  volatile boolean brokerAway;

  /** Of the runners that are started from now on. */
  RunGroups groups = RunGroups.none("not wanted");

  GroupRules groupRules = GroupRules.OFF;
  Affinity affinity = Affinity.ANY;
  HostSecrets secrets = HostSecrets.NONE;
  boolean commands = true;
  private final RunAs runAs;

  /** Of the runners that are started from now on; else all as one user. */
  Confinement confinement;

  private final LogSink sink;
  JobRunner runner;
  Runners runners;

  RunnerFixture(Path data) throws IOException {
    this(data, false, RunAs.SELF);
  }

  /** One whose runner is still to be started, by other settings: each start takes two JVMs. */
  static RunnerFixture unstarted(Path data) throws IOException {
    return unstarted(data, RunAs.SELF);
  }

  static RunnerFixture unstarted(Path data, RunAs runAs) throws IOException {
    return new RunnerFixture(data, false, runAs, chunk -> {}, false);
  }

  RunnerFixture(Path data, boolean keepEnded, RunAs runAs) throws IOException {
    this(data, keepEnded, runAs, chunk -> {});
  }

  /**
   * @param also where the pieces of output go, too
   */
  RunnerFixture(Path data, boolean keepEnded, RunAs runAs, LogSink also) throws IOException {
    this(data, keepEnded, runAs, also, true);
  }

  private RunnerFixture(Path data, boolean keepEnded, RunAs runAs, LogSink also, boolean started)
      throws IOException {
    this.sink =
        new LogSink() {
          @Override
          public void send(LogChunk chunk) {
            also.send(chunk);
            logs.add(chunk);
          }

          @Override
          public void send(LogChunk chunk, Runnable taken) {
            send(chunk);
            if (!kept(taken)) {
              taken.run();
            }
          }
        };
    this.runAs = runAs;
    this.data = data;
    this.keepEnded = keepEnded;
    deadline = new DeadlineFile(data, clock.bootId());
    deadline.write(clock.bootMs() + 300_000);
    watchdog = new Watchdog(data, OWNER, Duration.ofMillis(300), trouble -> {});
    if (started) {
      startRunner();
    }
  }

  private boolean kept(Runnable taken) {
    synchronized (untaken) {
      return brokerAway && untaken.add(taken);
    }
  }

  /** It takes what was sent while it was away, and from now on what comes. */
  void brokerComesBack() {
    List<Runnable> sent = new ArrayList<>();
    synchronized (untaken) {
      brokerAway = false;
      untaken.drainTo(sent);
    }
    sent.forEach(Runnable::run);
  }

  /** Starts another runner, as after the agent's restart. */
  void startRunner() throws IOException {
    runner = new JobRunner(settings(), sink, inputs::add, clock);
  }

  private RunnerSettings settings() {
    Confinement in =
        confinement == null
            ? new Confinement(new RunUsers(runAs, Map.of(), Map.of()), Isolation.NONE)
            : confinement;
    return new RunnerSettings(
        new RunnerSettings.Owner(HOST, data, OWNER, clock.bootId()),
        new RunTerms(100_000, Duration.ofMillis(300), keepEnded, in, groupRules),
        groups,
        affinity,
        secrets,
        commands);
  }

  /** Starts another agent's, with runners of other types. */
  void startRunners(List<RunnerFactory> factories) throws IOException {
    closeRunner();
    runners = new Runners(settings(), sink, inputs::add, clock, factories);
    runner = runners.processes();
  }

  Place place(String job, String... command) {
    return place(job, Map.of(), command);
  }

  Place place(String job, Map<String, String> env, String... command) {
    return of(job, command).env(env).build();
  }

  Place stagedPlace(String job, String... command) {
    return of(job, command).staged().build();
  }

  static APlace of(String job, String... command) {
    return aPlace(job).request("request-" + job).command(command);
  }

  AttemptKey launch(Place place) {
    return launch(place, 1);
  }

  AttemptKey launch(Place place, int starts) {
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    runner.launch(
        place, new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 1), starts);
    return key;
  }

  AttemptKey sh(String job, String script) {
    return launch(place(job, "sh", "-c", script));
  }

  /** The next input of a kind, within 60 s; others before it are dropped. */
  <I extends Input> I next(Class<I> type) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      Input input = inputs.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (input == null) {
        throw new AssertionError("no " + type.getSimpleName() + " within 60 s");
      }
      if (type.isInstance(input)) {
        return type.cast(input);
      }
    }
  }

  /** The next input, if one comes within so many ms. */
  Optional<Input> next(long withinMs) throws InterruptedException {
    return Optional.ofNullable(inputs.poll(withinMs, TimeUnit.MILLISECONDS));
  }

  /** All output, a chunk that came twice once. */
  String output() {
    StringBuilder text = new StringBuilder();
    Set<String> seen = new HashSet<>();
    for (LogChunk chunk : logs) {
      if (seen.add(chunk.job() + "-" + chunk.attempt() + " " + chunk.n())) {
        text.append(chunk.text());
      }
    }
    return text.toString();
  }

  @Override
  public void close() {
    killAll();
    if (runners != null) {
      runners.close();
    }
    closeRunner();
    // The next test looks for processes of its own, which bear the same mark.
    await().pollDelay(Duration.ZERO).until(RunnerFixture::killAll);
    watchdog.close();
    // Of a watchdog that the test has ended before, nobody ends the keepers that came after.
    try {
      Spawners.keepers(data).forEach(OwnProcess::kill);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** There is none before the first was started. */
  private void closeRunner() {
    if (runner != null) {
      runner.close();
    }
  }

  /** Returns whether nobody is left. */
  private static boolean killAll() {
    RunProcesses found = new ProcessScan(OWNER).scan();
    Set<Long> left = found.ofOthersThan(Set.of());
    left.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    return left.isEmpty() && found.complete();
  }
}
