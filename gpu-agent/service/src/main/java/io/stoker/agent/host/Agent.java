package io.stoker.agent.host;

import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Figures;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Lease;
import io.stoker.agent.attempt.Part;
import io.stoker.agent.attempt.ResourceOffer;
import io.stoker.agent.cgroup.RunGroups;
import io.stoker.agent.device.DeviceLedger;
import io.stoker.agent.disk.RoomAtStart;
import io.stoker.agent.journal.DataFolder;
import io.stoker.agent.journal.FileJournal;
import io.stoker.agent.lease.HostVoice;
import io.stoker.agent.loop.AgentLoop;
import io.stoker.agent.loop.Coordinator;
import io.stoker.agent.loop.HostFacts;
import io.stoker.agent.loop.Ports;
import io.stoker.agent.metrics.AgentView;
import io.stoker.agent.metrics.EndedTotals;
import io.stoker.agent.report.EventsVoice;
import io.stoker.agent.report.LogOutlet;
import io.stoker.agent.report.Timer;
import io.stoker.agent.runner.Inputs;
import io.stoker.agent.runner.RunnerSettings;
import io.stoker.agent.runner.Runners;
import io.stoker.agent.spawn.BootClock;
import io.stoker.agent.spawn.DeadlineFile;
import io.stoker.agent.spawn.Reserve;
import io.stoker.agent.supervise.Scripts;
import io.stoker.agent.supervise.Watchdog;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/** One agent, put together from its parts: begins where the journal ends. */
public final class Agent {
  private static final Logger LOG = Logger.getLogger(Agent.class);
  private static final Logger NOTES = Logger.getLogger("io.stoker.agent");
  private static final long ANSWER_MS = 500;

  private final AgentSettings settings;
  private final DataFolder folder;
  private final FileJournal journal;
  private final BootClock clock;
  private final AgentState state;
  private final AgentLoop loop;
  private final ThreadTimer disk = new ThreadTimer("journal-sync");
  private final Coordinator coordinator;
  private final Runners runners;
  private final Watchdog watchdog;
  private final HostFacts facts;
  private final LogOutlet logs;
  private final EndedTotals totals = new EndedTotals();
  private final OptionalLong journaledOffset;
  private final boolean journaledSigned;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Reserve reserve;

  /**
   * Opens the journal, starts watchdog and launcher, and ends what an earlier agent left that the
   * journal does not know: only then is anything said to the dispatcher.
   *
   * @param fatal told why the agent cannot go on; it should be restarted then
   * @throws IOException if the data folder cannot be used or the two cannot be started
   */
  public Agent(AgentSettings settings, HostPorts ports, Consumer<Throwable> fatal)
      throws IOException {
    this.settings = settings;
    Path data = settings.data().folder();
    Files.createDirectories(data);
    reserve = new Reserve(data, settings.data().reserve());
    RoomAtStart.make(data, reserve);
    folder = DataFolder.open(data);
    journal = FileJournal.open(folder.journal());
    clock = new BootClock();
    DeadlineFile deadline = new DeadlineFile(data, clock.bootId());
    state =
        AgentState.replay(
                journal.found(),
                DeviceLedger.of(ports.inventory()),
                new Lease(
                    UUID.randomUUID().toString(),
                    deadline.read().orElse(0),
                    settings.deciding().maxOutage().toMillis()),
                ports.allocator())
            .on(clock.bootId())
            .withPools(settings.deciding().pools())
            .lookingAhead(
                settings.deciding().rules().staging().gates().allJobs()
                    ? 0
                    : settings.deciding().lookAhead());
    folder.claim(clock.bootId(), state.liveKeys().size());
    journaledOffset = state.nextOffset();
    journaledSigned = state.signed();
    loop = new AgentLoop(state, clock::now, fatal);
    CompletableFuture<Void> clear = new CompletableFuture<>();
    loop.begin(clear); // before all that is posted from here on
    logs = new LogOutlet(ports.topics().logs(), settings.key(), Timer.SYSTEM);
    RunGroups groups = settings.runs().groups().open(folder.mark(), Path.of("/proc"));
    LOG.infof("control groups of jobs: %s", groups.state());
    tellWatchdog(groups);
    // Before the spawner and its keeper: what it takes over from may still end those that it finds.
    watchdog =
        new Watchdog(
            data,
            folder.mark(),
            trouble -> loop.post(new Input.PartJudged(Part.WATCHDOG, trouble)));
    runners =
        new Runners(
            new RunnerSettings(
                new RunnerSettings.Owner(
                    settings.name().host(), data, folder.mark(), clock.bootId()),
                settings.runs(),
                groups,
                ports.affinity(),
                settings.serving().secrets(),
                settings.serving().commands()),
            logs,
            new LoopInputs(),
            clock,
            settings.serving().runners());
    runners.mustServe(state.byRunner());
    state.serve(
        settings
            .serving()
            .service(runners.slots(), runners.machines())
            .keeping(settings.runs().confinement().words()));
    facts =
        new HostFacts(
            settings.name(),
            clock.bootId(),
            journal.id(),
            Seats.of(data, clock.bootId()),
            ports.labels(),
            settings.deciding().rules().staging().gates().maxWaiting(),
            ports.memory());
    coordinator =
        new Coordinator(
            new AgentDecider(
                settings.deciding().rules().withGrace(settings.runs().grace().toMillis())),
            state,
            facts,
            new Ports(
                journal,
                new Ports.Host(
                    new HostRuns(runners, ports.meetings()),
                    deadline::write,
                    reserve::release,
                    ports.devices()),
                new Ports.Topics(
                    ports.topics().events(),
                    new EventsVoice(settings.name().host(), settings.key()),
                    new HostVoice(
                        settings.name().host(), settings.key(), ports.topics().heartbeats()),
                    ports.topics().deadLetters()),
                new Ports.Timers(Timer.SYSTEM, disk),
                new Ports.Observer(totals::add, NOTES::info, stopped::countDown)),
            loop);
    loop.coordinate(coordinator);
    Set<AttemptKey> known = known(state);
    CompletableFuture<Void> cleared = runners.clear(known);
    state.left(runners.unended());
    cleared.whenComplete((done, failure) -> complete(clear, failure));
    LOG.infof(
        "agent of host %s: journal %s, %d entries, %d attempts live",
        settings.name().host(), journal.id(), journal.found().size(), state.liveKeys().size());
  }

  private static void complete(CompletableFuture<Void> future, Throwable failure) {
    if (failure == null) {
      future.complete(null);
    } else {
      future.completeExceptionally(failure);
    }
  }

  /** What runners say. */
  private final class LoopInputs implements Inputs {
    @Override
    public void accept(Input input) {
      loop.post(input);
    }

    @Override
    public void accept(Input input, Runnable done) {
      loop.post(input, done);
    }
  }

  /** Who is in them when the lease runs out is ended, too. */
  private void tellWatchdog(RunGroups groups) throws IOException {
    Path file = settings.data().folder().resolve("groups");
    if (groups.folder().isEmpty()) {
      Files.deleteIfExists(file);
    } else {
      Scripts.write(file, groups.folder().get() + "\n");
    }
  }

  private static Set<AttemptKey> known(AgentState state) {
    Set<AttemptKey> known = new HashSet<>();
    state.held().forEach(held -> known.add(new AttemptKey(held.job(), held.attempt())));
    return known;
  }

  /** What the markers of its runs begin with. */
  public String owner() {
    return folder.mark();
  }

  /** The first process of each live attempt, by the attempt's name; from any thread. */
  public Map<String, Long> roots() {
    return state.roots();
  }

  /** Names of the runs that have begun, wherever they are; from any thread. */
  public Set<String> begun() {
    return state.begun();
  }

  /**
   * How the agent is; it completes on the agent's thread.
   *
   * @param telemetry of its devices, as last measured
   */
  public CompletableFuture<AgentView> look(List<DeviceTelemetry> telemetry) {
    return loop.ask(
        now ->
            new AgentView(
                facts.agent(),
                ResourceOffer.of(
                    now, facts.labels(), facts.maxWaiting(), facts.memory(), clock.now()),
                telemetry,
                Figures.of(now),
                totals.now(),
                Math.max(0, now.lease().deadline() - clock.bootMs()),
                new AgentView.Sending(coordinator.backlog(), logs.dropped()),
                new AgentView.Disk(
                    journal.size(), settings.data().folder().toFile().getUsableSpace())));
  }

  /** Whether nobody holds a device of this host; false too if it does not say so soon. */
  public boolean holdsNoDevice() {
    return loop.ask(
            now -> now.ledger().allocations().stream().allMatch(held -> held.devices().isEmpty()))
        .completeOnTimeout(false, ANSWER_MS, TimeUnit.MILLISECONDS)
        .join();
  }

  /** Attempts that have ended and that the dispatcher has not closed, with when they ended. */
  public Map<AttemptKey, Long> ended() {
    return loop.ask(AgentState::ended).join();
  }

  /** Deletes what an ended attempt left on disk. */
  public void removeRun(AttemptKey key) {
    loop.ask(
        now -> {
          runners.remove(key); // which belongs to the agent's thread
          return key;
        });
  }

  /** What is given up when the disk is full. */
  public Reserve reserve() {
    return reserve;
  }

  /** Where inputs go. */
  public AgentLoop loop() {
    return loop;
  }

  /** The first offset of the placements topic to read, if the journal knows it. */
  public OptionalLong journaledOffset() {
    return journaledOffset;
  }

  /** Whether an agent of this journal has read a placement that a dispatcher had signed. */
  public boolean journaledSigned() {
    return journaledSigned;
  }

  /**
   * Stops: with its jobs, or leaving them to the next agent. Waits for reports to be sent, up to
   * the time that is set.
   */
  public void stop(boolean endJobs) {
    long until = System.nanoTime() + settings.stopWithin().toNanos();
    try {
      loop.post(new Input.StopAsked(endJobs));
      boolean done = stopped.await(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      boolean sent = coordinator.finish(until - System.nanoTime());
      if (!done || !sent) {
        LOG.warn("stopped before everything was done; the next agent goes on from the journal");
      }
      loop.close();
      disk.close();
      runners.close();
      if (state.liveKeys().isEmpty()) {
        watchdog.close();
      }
      journal.close();
      folder.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
