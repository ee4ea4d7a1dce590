package io.stoker.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.pool.Answer;
import io.stoker.common.json.JsonRules;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.simulation.Machine.Run;
import io.stoker.simulation.Machine.Stage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * The process of a pool's worker: it gets ready, is told jobs by lines, and answers by lines, which
 * come in the order in which they were written, the word that it is gone behind them. It goes on
 * without its agent, and may end at any moment.
 */
final class SimWorker {
  /** Where it stands. */
  enum State {
    ASKED,
    STARTING,
    IDLE,
    BUSY,
    STOPPING,
    GONE
  }

  /** A job that it was told to do. */
  private record Told(long n, Place place) {}

  private static final double SLOW_SPAWN = 0.1;

  /** Probability that a job says how far it has got. */
  private static final double SPEAKS = 0.2;

  /** Longest time that a line takes, ms. */
  private static final int LINE = 4;

  /** By then nobody speaks any more to one that is gone, ms. */
  private static final long FORGOTTEN = 60_000;

  /** Longest time from its end until nothing of it is left on its devices, ms. */
  private static final int LEFT_ON_DEVICES = 300;

  private final World world;
  private final Machine machine;
  private final WorkerKey key;
  private final SimPool pool;
  private final Allocation allocation;
  private final Life agent;
  private final Consumer<Input> inputs;
  private final Chance chance;

  /** What it was told and has not answered, by number. */
  private final Map<Long, Place> unanswered = new LinkedHashMap<>();

  private final Deque<JsonNode> unread = new ArrayDeque<>();
  private final Deque<Told> tasks = new ArrayDeque<>();
  private State state = State.ASKED;

  /** What it is about to begin. */
  private Optional<Told> next = Optional.empty();

  private Optional<Run> running = Optional.empty();
  private boolean crashed;
  private long startedAt;
  private long saysAt;
  private long hearsAt;
  private long goneAt;
  private long cleanAt;

  /**
   * @param agent whose child it is
   * @param inputs that agent's, for what it says
   */
  SimWorker(
      World world,
      Machine machine,
      WorkerKey key,
      Allocation allocation,
      Life agent,
      Consumer<Input> inputs) {
    this.world = world;
    this.machine = machine;
    this.key = key;
    this.pool = machine.pool(key.pool());
    this.allocation = allocation;
    this.agent = agent;
    this.inputs = inputs;
    this.chance = world.poolChance;
  }

  WorkerKey key() {
    return key;
  }

  State state() {
    return state;
  }

  /** Whether there is a process. */
  boolean alive() {
    return state != State.ASKED && state != State.GONE;
  }

  /** Whether nothing is left of it, and nobody speaks to it any more. */
  boolean over() {
    return state == State.GONE && goneAt + FORGOTTEN <= world.now();
  }

  /** The job that it runs, if it does. */
  Optional<Run> running() {
    return running;
  }

  /** What it holds of its host: also while something of it is left there. */
  Optional<Machine.Holding> holding() {
    boolean left = state == State.GONE && cleanAt > world.now();
    return alive() || left
        ? Optional.of(
            new Machine.Holding(
                allocation.devices(),
                allocation.exclusive() ? OptionalLong.empty() : allocation.memory(),
                alive() ? allocation.cpuSlots() : 0))
        : Optional.empty();
  }

  /** In how many ms nothing will be left of it on its devices. */
  long cleanIn() {
    return Math.max(1, cleanAt - world.now());
  }

  // --- how it comes and goes

  /** The launcher takes what was asked for. */
  void start() {
    int spawns = chance.is(SLOW_SPAWN) ? chance.between(40, 2_500) : chance.between(0, 40);
    later(spawns, this::begin);
  }

  private void begin() {
    if (state != State.ASKED) {
      return;
    }
    if (!machine.watchdog().allows()) {
      state = State.GONE;
      say(new Input.NotStarted(key, Input.Cause.REFUSED, "the lease is over"));
      return;
    }
    state = State.STARTING;
    world.note(machine.name, "worker " + key + " is started");
    machine.watcher().takesRoom(machine);
    RunProcess process =
        new RunProcess(
            chance.between(2, 1 << 20), 1, machine.bootId(), world.databaseNow(), machine.bootMs());
    // By another way than what it says.
    startedAt = world.now() + chance.between(0, 20);
    world.timeline.after(
        startedAt - world.now(), agent, () -> inputs.accept(new Input.Started(key, process)));
    boolean late = goesWrong(Fault.WORKER_LATE);
    int takes = late ? chance.between(SimPool.START, 2 * SimPool.START) : chance.between(5, 1_500);
    later(chance.between(1, takes), this::mayCrash);
    later(takes, this::ready);
  }

  private void ready() {
    if (state == State.STARTING) {
      state = State.IDLE;
      say(new Input.WorkerReady(key, pool.ahead()));
      if (!mayCrash()) {
        goOn();
      }
    }
  }

  /** Makes sure that it does not begin; false if it has. */
  boolean revoke() {
    boolean asked = state == State.ASKED;
    if (asked) {
      state = State.GONE;
    }
    return asked;
  }

  /** It is ended by others. */
  void kill(RunEnd how) {
    if (alive()) {
      over(how);
    }
  }

  /** It ends with its agent: nobody hears of it, and its devices are waited for. */
  void endUnheard() {
    running.ifPresent(run -> run.stage = Stage.ENDED);
    running = Optional.empty();
    state = State.GONE;
    cleanAt = 0;
  }

  private boolean goesWrong(Fault kind) {
    return world.fault(kind, chance, Optional.of(machine.host));
  }

  /** Whether it ends here, by itself. */
  private boolean mayCrash() {
    boolean crashes = alive() && goesWrong(Fault.WORKER_CRASH);
    if (crashes) {
      crash();
    }
    return crashes;
  }

  private void crash() {
    crashed = true;
    world.poolSights = world.poolSights.and(PoolSights.CRASH);
    blame();
    over(RunEnd.exit(chance.of(List.of(0, 1, 137, 139))));
  }

  /** By what its agent knows of it, these may have ended it. */
  private void blame() {
    if (!pool.acknowledges()) {
      unanswered.values().forEach(this::blame);
    } else {
      running.ifPresentOrElse(run -> blame(run.place), () -> next.ifPresent(t -> blame(t.place())));
    }
  }

  private void blame(Place place) {
    machine.endedItself(place.job(), RunEnd.exit(1));
  }

  private void over(RunEnd how) {
    world.note(machine.name, "worker " + key + " is gone: " + how.exitCode());
    machine.workers().ended(key);
    running.ifPresent(run -> run.stage = Stage.ENDED);
    running = Optional.empty();
    state = State.GONE;
    goneAt = world.now();
    cleanAt = allocation.devices().isEmpty() ? 0 : world.now() + chance.between(1, LEFT_ON_DEVICES);
    saysAt = Math.max(saysAt, startedAt);
    say(new Input.Exited(key, how));
  }

  // --- what it is told

  /** Lines are written for it, in one piece. */
  void tell(List<JsonNode> lines) {
    for (JsonNode line : lines) {
      if (line.path("do").asText().equals("job")) {
        told(line);
      }
    }
    hearsAt = Math.max(hearsAt, world.now() + chance.between(0, LINE));
    later(hearsAt - world.now(), () -> hear(lines));
  }

  private void told(JsonNode line) {
    AttemptKey attempt = new AttemptKey(line.path("job").asText(), line.path("attempt").asInt());
    JournalRules rules = machine.disk().rules();
    // While the journal cannot be written, its end may come before it is told.
    Place place =
        state == State.GONE
            ? rules.pools().accepted(attempt)
            : rules.gives(attempt, machine.bootId());
    if (!unanswered.isEmpty()) {
      world.poolSights = world.poolSights.and(PoolSights.AHEAD);
    }
    unanswered.put(line.path("n").asLong(), place);
    if (crashed && !pool.acknowledges()) {
      blame(place);
    }
  }

  private void hear(List<JsonNode> lines) {
    unread.addAll(lines);
    if (state == State.IDLE && !mayCrash()) {
      goOn();
    }
  }

  /** Reads what it was told, as it does before it begins anything. */
  private void read() {
    for (JsonNode line = unread.poll(); line != null; line = unread.poll()) {
      long n = line.path("n").asLong();
      switch (line.path("do").asText()) {
        case "job" -> tasks.add(new Told(n, unanswered.get(n)));
        case "withdraw" -> withdraw(n);
        case "stop" -> stop();
        default -> throw new SimulationFailure("a worker is told " + line);
      }
    }
  }

  /** It may have begun it, or look too late. */
  private void withdraw(long n) {
    boolean takesBack = tasks.stream().anyMatch(told -> told.n() == n);
    if (takesBack && !goesWrong(Fault.WORKER_LATE)) {
      tasks.removeIf(told -> told.n() == n);
      unanswered.remove(n);
      world.poolSights = world.poolSights.and(PoolSights.WITHDRAWN);
      say(new Input.WorkerAnswered(key, n, new Answer.Withdrawn()));
    }
  }

  private void stop() {
    state = State.STOPPING;
    boolean late = goesWrong(Fault.WORKER_LATE);
    int takes = late ? SimPool.CLOSE + 500 : chance.between(1, SimPool.CLOSE / 2);
    later(takes, () -> kill(RunEnd.exit(0)));
  }

  // --- what it does

  private void goOn() {
    read();
    if (state == State.STOPPING) {
      return;
    }
    next = Optional.ofNullable(tasks.poll());
    state = next.isPresent() ? State.BUSY : State.IDLE;
    if (next.isPresent()) {
      if (pool.acknowledges()) {
        say(begun(next.get()));
      }
      later(chance.between(0, 2), this::work);
    }
  }

  private Input begun(Told told) {
    return new Input.WorkerAnswered(key, told.n(), new Answer.Begun());
  }

  private void work() {
    if (state != State.BUSY || mayCrash()) {
      return;
    }
    Told told = next.orElseThrow();
    next = Optional.empty();
    Run run = Run.byWorker(told.place());
    running = Optional.of(run);
    world.poolSights = world.poolSights.and(PoolSights.BEGUN);
    world.note(machine.name, "worker " + key + " begins " + Machine.key(run));
    machine.watcher().begins(machine, run);
    machine.disk().rules().pools().begins(Machine.key(run));
    int most = run.place.params().path("ms").asInt();
    int takes = chance.between(most / 2, most);
    if (chance.is(SPEAKS)) {
      JsonNode value = Words.result(chance, IntNode.valueOf(1));
      if (JsonRules.storable(value)) {
        say(new Input.WorkerAnswered(key, told.n(), new Answer.Progress(value)));
      }
    }
    if (goesWrong(Fault.WORKER_BABBLES)) {
      babble(told.n());
    }
    later(
        chance.between(0, takes),
        () -> running.filter(one -> one == run).ifPresent(r -> mayCrash()));
    later(takes, () -> finish(told, run));
  }

  private void finish(Told told, Run run) {
    if (running.filter(one -> one == run).isEmpty()) {
      return;
    }
    run.stage = Stage.ENDED;
    running = Optional.empty();
    unanswered.remove(told.n());
    List<Input> line = new ArrayList<>();
    line.add(new Input.WorkerAnswered(key, told.n(), answer(run.place)));
    read();
    if (pool.acknowledges() && state == State.BUSY) {
      next = Optional.ofNullable(tasks.poll());
      next.ifPresent(following -> line.add(begun(following)));
    }
    say(line);
    if (goesWrong(Fault.WORKER_BABBLES)) {
      babble(told.n());
    }
    if (mayCrash() || state != State.BUSY) {
      return;
    }
    if (next.isPresent()) {
      later(chance.between(0, 1), this::work);
    } else {
      goOn();
    }
  }

  private Answer answer(Place place) {
    if (chance.is(place.params().path("fails").asInt() / 100.0)) {
      blame(place);
      String note = Words.note(chance);
      return chance.is(0.05) ? new Answer.OutOfMemory(note) : new Answer.Failed(note);
    }
    JsonNode result = Words.result(chance, Machine.gives(place));
    if (!JsonRules.storable(result)) {
      blame(place);
      return new Answer.Unkept("its result cannot be stored");
    }
    Optional<JsonNode> kept = chance.is(0.2) ? Optional.empty() : Optional.of(result);
    machine.endedItself(
        place.job(),
        new RunEnd(
            RunEnd.exit(0).exitCode(), kept, Optional.empty(), Optional.empty(), Optional.empty()));
    return new Answer.Done(kept);
  }

  /** What is of no job at hand: of one that was, of one that never was. */
  private void babble(long n) {
    boolean over = running.isEmpty();
    say(
        switch (chance.between(0, 3)) {
          case 0 -> new Input.WorkerAnswered(key, n + 1_000, done("never asked"));
          case 1 -> new Input.WorkerAnswered(key, n - 1, new Answer.Failed("once more"));
          case 2 -> new Input.WorkerAnswered(key, n, new Answer.Withdrawn());
          default ->
              over
                  ? new Input.WorkerAnswered(key, n, done("once more"))
                  : new Input.WorkerReady(key, pool.ahead());
        });
  }

  private static Answer done(String said) {
    return new Answer.Done(Optional.of(TextNode.valueOf(said)));
  }

  private void say(Input word) {
    say(List.of(word));
  }

  /** In one line. */
  private void say(List<Input> line) {
    saysAt = Math.max(saysAt, world.now() + chance.between(0, LINE));
    world.timeline.after(
        saysAt - world.now(),
        agent,
        () -> {
          boolean unheard = state == State.GONE && world.has(Defect.LEAVE_LAST_WORDS);
          line.stream()
              .filter(word -> !(unheard && word instanceof Input.WorkerAnswered))
              .forEach(inputs);
        });
  }

  /** In its own life, which goes on without its agent. */
  private void later(long ms, Runnable what) {
    world.timeline.after(
        ms,
        machine.life(),
        () -> {
          if (state != State.GONE) {
            what.run();
          }
        });
  }
}
