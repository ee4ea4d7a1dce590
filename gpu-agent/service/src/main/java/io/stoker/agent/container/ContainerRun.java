package io.stoker.agent.container;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.container.Engine.Answer;
import io.stoker.agent.runner.RunnerContext;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * One container, from its making to its end, on a thread of its own. Making and starting are two
 * steps: what fetches an image for minutes is asked again, before it starts, whether it still may.
 */
final class ContainerRun {
  private static final Logger LOG = Logger.getLogger(ContainerRun.class);
  private static final long RETRY_MS = 500;

  /** The exit code of what SIGKILL ended. */
  private static final int KILLED = 128 + 9;

  private final RunnerContext context;
  private final Engine engine;
  private final Place place;
  private final AttemptKey key;
  private final String name;
  private Optional<Process> making = Optional.empty();
  private Optional<ContainerLog> log = Optional.empty();
  private boolean revoked;
  private boolean closed;
  private boolean begun;
  private String told = "";

  ContainerRun(RunnerContext context, Engine engine, Place place, String name) {
    this.context = context;
    this.engine = engine;
    this.place = place;
    this.key = AttemptKey.of(place);
    this.name = name;
  }

  /** What follows once the engine has read what the container is given. */
  interface Read {
    void done() throws IOException;
  }

  /**
   * Makes it and starts it.
   *
   * @param inherited variables that it has of the engine's command
   */
  void start(List<String> create, Map<String, String> inherited, Read read)
      throws IOException, InterruptedException {
    Optional<Process> making = begin(create, inherited);
    if (making.isEmpty()) {
      notStarted(Cause.UNCLAIMED, Input.NotStarted.UNBEGUN);
      return;
    }
    Answer made = Engine.answer(making.get());
    read.done();
    if (!made.ok() && isRevoked()) {
      engine.remove(name);
      notStarted(Cause.UNCLAIMED, Input.NotStarted.UNBEGUN);
      return;
    }
    if (!made.ok()) {
      notStarted(
          engine.away() ? Cause.REFUSED : Cause.LAUNCH,
          "no container of image %s can be made by %s: %s"
              .formatted(CreateArguments.image(place), engine.name(), made.why()));
      return;
    }
    Optional<String> refusal = context.refusal();
    if (!mayBegin() || refusal.isPresent()) {
      engine.remove(name);
      notStarted(
          refusal.isPresent() ? Cause.REFUSED : Cause.UNCLAIMED,
          refusal.orElse(Input.NotStarted.UNBEGUN));
      return;
    }
    Answer started = engine.start(name, context.folder(key));
    Optional<ContainerState> state = state();
    if (state.isPresent() && !state.get().before()) {
      runs(state); // also where the answer was lost
      follow();
      return;
    }
    removeUnbegun(); // an engine that was too slow to answer may start it yet
    notStarted(
        Cause.LAUNCH,
        "%s of image %s cannot be started by %s: %s"
            .formatted(
                place.program().command().getFirst(),
                CreateArguments.image(place),
                engine.name(),
                started.why()));
  }

  private void notStarted(Cause cause, String why) {
    context.inputs().accept(new Input.NotStarted(key, cause, why));
  }

  /** Finds out what became of it, and follows it on. */
  void adopt(Optional<RunProcess> known) throws InterruptedException {
    Optional<ContainerState> found = state();
    if (found.isEmpty() && known.isPresent()) {
      context.outputs().follow(place);
      context
          .outputs()
          .end(key, OptionalInt.empty(), Optional.empty(), Optional.of("its container is gone"));
      return;
    }
    if (found.isEmpty() || found.get().before()) {
      if (found.isPresent()) {
        removeUnbegun(); // an earlier agent may have asked for its start just before it died
      }
      notStarted(Cause.UNCLAIMED, "its launch was lost");
      return;
    }
    if (known.isEmpty()) {
      runs(found);
    }
    follow();
  }

  /** Until the engine says that there is none: then none begins any more. */
  private void removeUnbegun() throws InterruptedException {
    Optional<String> obstacle = remove();
    while (obstacle.isPresent()) {
      again("it is not removed, and that is tried again: " + obstacle.get());
      obstacle = remove();
    }
  }

  private Optional<String> remove() throws InterruptedException {
    try {
      return engine.remove(name);
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Waits until the engine is worth asking again, and says what its job waits for: once, however
   * often it is tried again.
   *
   * @throws InterruptedException if this agent leaves it to the next one
   */
  private void again(String why) throws InterruptedException {
    synchronized (this) {
      if (closed) {
        throw new InterruptedException(why);
      }
      if (!why.equals(told)) {
        LOG.warnf("container %s: %s", name, why);
      }
      told = why;
    }
    Thread.sleep(RETRY_MS);
  }

  private void runs(Optional<ContainerState> state) {
    long pid = state.map(ContainerState::pid).orElse(0L);
    RunProcess process =
        pid > 0 ? context.process(pid, OwnProcess.begun(pid).startTicks()) : context.elsewhere();
    context.inputs().accept(new Input.Started(key, process));
  }

  /** Until it has ended and all that it said is read. */
  private void follow() throws InterruptedException {
    context.outputs().follow(place);
    ContainerLog following = log();
    following.follow();
    Optional<ContainerState> state = awaitEnd(() -> quietly("wait", name));
    following.stop();
    if (state.isPresent()) {
      following.takeRest();
    }
    end(state);
  }

  private synchronized ContainerLog log() {
    ContainerLog fresh = new ContainerLog(engine, name, context.stdout(key), context.stderr(key));
    log = Optional.of(fresh);
    return fresh;
  }

  /**
   * Takes no more of what it says, and asks an engine no more that has not answered: the next agent
   * does.
   */
  synchronized void close() {
    closed = true;
    log.ifPresent(ContainerLog::close);
  }

  private void end(Optional<ContainerState> state) {
    if (state.isEmpty()) {
      context
          .outputs()
          .end(key, OptionalInt.empty(), Optional.empty(), Optional.of("its container is gone"));
      return;
    }
    boolean outOfMemory = outOfMemory(state.get());
    context
        .outputs()
        .end(
            key,
            OptionalInt.of(state.get().exitCode()),
            outOfMemory ? Optional.of(FailureCategory.HOST_OOM) : Optional.empty(),
            outOfMemory ? Optional.of(memory()) : Optional.empty());
  }

  /**
   * Engines do not know it of every kernel: podman on control groups of version 1 says false. Under
   * a limit, SIGKILL that is nobody's is the kernel's.
   */
  private boolean outOfMemory(ContainerState state) {
    boolean limit =
        place.program().memory().isPresent() && state.exitCode() == KILLED && !isRevoked();
    return state.exitCode() != 0 && (state.outOfMemory() || limit);
  }

  private String memory() {
    return place.program().memory().isEmpty()
        ? "its container was killed for want of memory"
        : "its container outgrew its %d bytes of memory"
            .formatted(CreateArguments.memory(place).getAsLong());
  }

  private interface Step {
    void run() throws InterruptedException;
  }

  /**
   * What waits for it, or ends it, may be gone sooner than it: what counts is what the engine says
   * of it.
   *
   * @param step what is done until it has ended
   */
  private Optional<ContainerState> awaitEnd(Step step) throws InterruptedException {
    while (true) {
      step.run();
      Optional<ContainerState> state = state();
      if (state.isEmpty() || state.get().over()) {
        return state;
      }
      Thread.sleep(RETRY_MS);
    }
  }

  /** Asks until the engine answers: a container outlives a restart of it. */
  private Optional<ContainerState> state() throws InterruptedException {
    while (true) {
      try {
        return engine.state(name);
      } catch (IOException e) {
        again("it is asked for again: " + e.getMessage());
      }
    }
  }

  private synchronized Optional<Process> begin(List<String> create, Map<String, String> inherited)
      throws IOException {
    if (!revoked) {
      making = Optional.of(engine.begin(create, inherited));
    }
    return making;
  }

  private synchronized boolean isRevoked() {
    return revoked;
  }

  /** Whether it is not to be ended; from here on what ends it is the engine. */
  synchronized boolean mayBegin() {
    begun = !revoked;
    return begun;
  }

  /** Ends it; or, if it has not begun, sees to it that it never does. */
  void kill(long graceMs) throws InterruptedException {
    synchronized (this) {
      revoked = true;
      if (!begun) {
        making.ifPresent(Process::destroy);
        return;
      }
    }
    long seconds = Math.max(1, TimeUnit.MILLISECONDS.toSeconds(graceMs));
    awaitEnd(
        () -> {
          if (graceMs > 0) {
            quietly("stop", "-t", Long.toString(seconds), name);
          }
          quietly("kill", name); // fails if it has ended, as it should have
        });
  }

  private void quietly(String... arguments) throws InterruptedException {
    try {
      Answer answer = engine.ask(List.of(arguments));
      if (!answer.ok()) {
        LOG.debugf("%s: %s", String.join(" ", arguments), answer.why());
      }
    } catch (IOException e) {
      LOG.debug(e.getMessage());
    }
  }
}
