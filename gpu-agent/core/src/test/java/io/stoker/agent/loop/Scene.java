package io.stoker.agent.loop;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentRules;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.Lease;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.DeviceLedger;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.key.AgentKey;
import io.stoker.agent.lease.HostVoice;
import io.stoker.agent.lease.Seat;
import io.stoker.agent.report.EventsVoice;
import io.stoker.agent.report.Timer;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.ToAgent.Welcome;
import io.stoker.common.message.Workload;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** A coordinator over ports that note, in order, what came by them, and fail when they are to. */
final class Scene implements Mailbox, Journal, Runs {
  /** What came by the ports, one line each. */
  final List<String> happened = new ArrayList<>();

  final AgentState state;
  final Coordinator coordinator;
  final Clock reports = new Clock();
  final Clock disk = new Clock();
  long bootMs = 100_000;

  /** So many of the next appends fail. */
  int failingAppends;

  /** So many of the next forced writes fail. */
  int failingSyncs;

  /** Before they fail, so many more succeed. */
  private int soundAppends;

  private final Deque<Input> inputs = new ArrayDeque<>();
  private long offset;

  Scene() {
    this(
        AgentState.replay(
                List.of(),
                DeviceLedger.of(Inventory.withoutGpu("a test", 2)),
                new Lease("start", 0))
            .on("boot"));
  }

  private Scene(AgentState state) {
    this.state = state;
    coordinator =
        new Coordinator(
            new AgentDecider(AgentRules.standard()),
            state,
            new HostFacts(
                new AgentName("host", "default", "1"),
                "boot",
                "journal",
                new Seat("seat", "machine"),
                Map.of(),
                0,
                OptionalLong.empty()),
            new Ports(
                this,
                new Ports.Host(
                    this,
                    at -> happened.add("deadline"),
                    () -> happened.add("spare room"),
                    new Ports.Devices(
                        (key, devices, clean) -> clean.run(), (list, to) -> {}, List::of)),
                new Ports.Topics(
                    this::events,
                    new EventsVoice("host", AgentKey.none()),
                    new HostVoice("host", AgentKey.none(), this::host),
                    (record, reason) -> happened.add("dead letter " + reason)),
                new Ports.Timers(reports, disk),
                new Ports.Observer(
                    end -> happened.add("ended"), note -> {}, () -> happened.add("stopped"))),
            this);
  }

  /** A timer that a test turns by hand. */
  static final class Clock implements Timer {
    private final List<Due> due = new ArrayList<>();
    private long now;

    private record Due(long at, Runnable task) {}

    @Override
    public long nowMs() {
      return now;
    }

    @Override
    public void after(long ms, Runnable task) {
      due.add(new Due(now + ms, task));
    }

    void pass(long ms) {
      long until = now + ms;
      Optional<Due> next = first(until);
      while (next.isPresent()) {
        due.remove(next.get());
        now = next.get().at();
        next.get().task().run();
        next = first(until);
      }
      now = until;
    }

    private Optional<Due> first(long until) {
      return due.stream().filter(one -> one.at() <= until).min(Comparator.comparingLong(Due::at));
    }
  }

  // --- what happens to it

  /** Deals with an input and with what follows from it; forgets what happened before. */
  List<String> to(Input input) {
    happened.clear();
    post(input);
    work();
    return happened;
  }

  /** Deals with what was posted. */
  void work() {
    while (!inputs.isEmpty()) {
      coordinator.begin(List.of(inputs.poll()), now());
      while (coordinator.next()) {
        // one thing after the other
      }
    }
  }

  Now now() {
    return new Now(bootMs, 1_000_000 + bootMs);
  }

  /** Has an epoch, and a lease that runs. */
  Scene ready() {
    to(new Input.PlacementsFrom(0));
    to(new Input.Restarted());
    tell(0, new Welcome(state.lease().nonce(), 1, bootMs, 30_000, 2_000, 60_000));
    to(new Input.HeartbeatAcked(1, bootMs));
    reports.pass(100);
    return this;
  }

  List<String> tell(long epoch, ToAgent... messages) {
    ReceivedRecord raw = new ReceivedRecord("placements", 0, offset++, null, new byte[] {1});
    return to(new Input.Received(new PlacementsRecord("host", epoch, List.of(messages)), raw));
  }

  List<String> started(String job) {
    return to(new Input.Started(key(job), new RunProcess(77, 5, "boot", 1_000_000, bootMs)));
  }

  List<String> exited(String job) {
    return to(new Input.Exited(key(job), RunEnd.exit(0)));
  }

  void failAppendsAfter(int sound, int failing) {
    soundAppends = sound;
    failingAppends = failing;
  }

  static AttemptKey key(String job) {
    return new AttemptKey(job, 1);
  }

  // --- its ports

  @Override
  public void post(Input input) {
    if (input instanceof Input.PartJudged judged) {
      happened.add(judged.part() + (judged.trouble().isPresent() ? " troubled" : " well"));
    }
    inputs.add(input);
  }

  @Override
  public void run(Runnable task) {
    task.run();
  }

  @Override
  public void fail(Throwable why) {
    throw new AssertionError("the agent fails", why);
  }

  @Override
  public void append(List<JournalEntry> entries) {
    if (entries.isEmpty()) {
      return;
    }
    if (soundAppends > 0) {
      soundAppends--;
    } else if (failingAppends > 0) {
      failingAppends--;
      throw new JournalException("the journal cannot be written", new IOException("disk full"));
    }
    happened.add(
        entries.stream()
            .map(entry -> entry.getClass().getSimpleName())
            .collect(Collectors.joining(",", "journal ", "")));
  }

  @Override
  public void sync() {
    if (failingSyncs > 0) {
      failingSyncs--;
      throw new JournalException("the journal cannot be forced", new IOException("I/O error"));
    }
    happened.add("sync");
  }

  @Override
  public void compactIfLarge(Supplier<List<JournalEntry>> snapshot) {}

  @Override
  public void compact(List<JournalEntry> snapshot) {
    happened.add("rewrite");
  }

  private CompletionStage<Void> events(String key, byte[] record) {
    try {
      Json.read(record, EventsRecord.class)
          .events()
          .forEach(event -> happened.add("says " + event.type()));
    } catch (MalformedJson e) {
      throw new AssertionError(e);
    }
    return CompletableFuture.completedFuture(null);
  }

  private CompletionStage<Void> host(String key, byte[] record) {
    try {
      happened.add("says " + Json.read(record, HostMessage.class).getClass().getSimpleName());
    } catch (MalformedJson e) {
      throw new AssertionError(e);
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void launch(Place place, Allocation allocation, int starts) {
    happened.add("launch " + place.job());
  }

  @Override
  public void adopt(Place place, Optional<RunProcess> known, int starts) {
    happened.add("adopt " + place.job());
  }

  @Override
  public void kill(RunKey key, long graceMs) {
    happened.add("kill " + key.stem());
  }

  @Override
  public void remove(RunKey key) {
    happened.add("remove " + key.stem());
  }

  @Override
  public void toldBefore(AttemptKey key, ToldBefore told) {
    happened.add("told before " + key.job());
  }

  @Override
  public void retell(AttemptKey key, String request) {
    happened.add("retell " + key.job());
  }

  @Override
  public void tell(AttemptKey key, JsonNode command) {
    throw new AssertionError("no job here is staged");
  }

  @Override
  public void closeLog(AttemptKey key) {
    throw new AssertionError("no job here is staged");
  }

  @Override
  public void startWorker(WorkerKey key, Workload.Process process, Allocation allocation) {
    throw new AssertionError("no pool is here");
  }

  @Override
  public void tellWorker(WorkerKey key, List<JsonNode> lines) {
    throw new AssertionError("no pool is here");
  }

  @Override
  public void lost(AttemptKey key) {
    throw new AssertionError("no pool is here");
  }
}
