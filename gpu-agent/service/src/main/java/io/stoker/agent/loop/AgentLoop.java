package io.stoker.agent.loop;

import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.runner.Inputs;
import io.stoker.agent.spawn.BootClock;
import io.stoker.common.life.Vital;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jboss.logging.Logger;

/**
 * The agent's one thread of decisions: takes inputs in order, decides, acts, and wakes itself when
 * time alone has something due. What has come while it acted is decided on together, and journaled
 * in one write. An effect that fails stops the agent: what follows it must not happen, and a
 * restart begins from the journal.
 */
public final class AgentLoop implements AutoCloseable, Inputs {
  private static final Logger LOG = Logger.getLogger(AgentLoop.class);

  /** Inputs that are decided on together: no cancel waits for more than their effects. */
  private static final int MOST = 64;

  private final AgentDecider decider;
  private final AgentState state;
  private final BootClock clock;
  private final Consumer<Throwable> fatal;
  private final LinkedBlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
  private final Thread thread = Vital.thread("agent", this::work);
  private final CompletableFuture<Actions> actions = new CompletableFuture<>();

  /** When time alone has something due, by {@link System#nanoTime}; belongs to the thread. */
  private OptionalLong wakeNanos = OptionalLong.empty();

  private boolean failed;
  private volatile boolean closed;

  /** What the thread is given to do. */
  private sealed interface Task {

    /**
     * Decide on an input.
     *
     * @param done run when what follows has been done
     */
    record Decide(Input input, Runnable done) implements Task {}

    /** Something else, between decisions. */
    record Run(Runnable task) implements Task {}
  }

  /**
   * @param fatal told once why the agent cannot go on
   */
  public AgentLoop(
      AgentDecider decider, AgentState state, BootClock clock, Consumer<Throwable> fatal) {
    this.decider = decider;
    this.state = state;
    this.clock = clock;
    this.fatal = fatal;
    thread.start();
  }

  /** Says who acts. What is posted before this waits for it. */
  void actions(Actions chosen) {
    actions.complete(chosen);
  }

  /**
   * Begins where the journal ends, once it may: whatever comes until then is decided on after it.
   *
   * @param clear completes when nothing is left of what an earlier agent ran and the journal does
   *     not know
   */
  void begin(CompletableFuture<Void> clear) {
    run(
        () -> {
          try {
            clear.join();
          } catch (CompletionException e) {
            failed = true;
            LOG.error("what an earlier agent left cannot be ended", e.getCause());
            fatal.accept(e.getCause());
            return;
          }
          decide(List.of(new Task.Decide(new Input.Restarted(), () -> {})));
        });
  }

  /** Hands an input over; they are decided on in the order in which they come, until it closes. */
  public void post(Input input) {
    accept(input, () -> {});
  }

  @Override
  public void accept(Input input) {
    post(input);
  }

  @Override
  public void accept(Input input, Runnable done) {
    tasks.add(new Task.Decide(input, done));
  }

  private void run(Runnable task) {
    tasks.add(new Task.Run(task));
  }

  /** Completes when everything posted so far has been decided on and done. */
  public CompletableFuture<Void> caughtUp() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    run(() -> done.complete(null));
    return done;
  }

  /** Asks something of the state, on the thread that it belongs to. */
  public <T> CompletableFuture<T> ask(Function<AgentState, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    run(
        () -> {
          try {
            answer.complete(question.apply(state));
          } catch (RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  /** What is measured or said after the end is the next agent's to find out. */
  private void work() {
    List<Task> taken = new ArrayList<>(MOST);
    try {
      while (!closed) {
        await(taken);
        tasks.drainTo(taken, MOST - taken.size());
        take(taken);
        taken.clear();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for something to do, or until time alone has something due. */
  private void await(List<Task> taken) throws InterruptedException {
    Task first =
        wakeNanos.isEmpty()
            ? tasks.take()
            : tasks.poll(wakeNanos.getAsLong() - System.nanoTime(), TimeUnit.NANOSECONDS);
    if (first != null) {
      taken.add(first);
    }
    if (wakeNanos.isPresent() && wakeNanos.getAsLong() - System.nanoTime() <= 0) {
      wakeNanos = OptionalLong.empty();
      taken.add(new Task.Decide(new Input.Tick(), () -> {}));
    }
  }

  private void take(List<Task> taken) {
    List<Task.Decide> together = new ArrayList<>(taken.size());
    for (Task task : taken) {
      switch (task) {
        case Task.Decide one -> together.add(one);
        case Task.Run other -> {
          decide(together);
          together.clear();
          other.task().run();
        }
      }
    }
    decide(together);
  }

  private void decide(List<Task.Decide> together) {
    if (!together.isEmpty() && !failed) {
      try {
        step(together);
      } catch (Exception e) {
        failed = true;
        List<String> inputs =
            together.stream().map(one -> one.input().getClass().getSimpleName()).toList();
        LOG.error("the agent cannot go on after " + inputs, e);
        fatal.accept(e);
      }
    }
    together.forEach(one -> one.done().run());
  }

  private void step(List<Task.Decide> together) throws Exception {
    Actions acting = actions.join();
    Now now = clock.now();
    List<Effect> effects = new ArrayList<>();
    try {
      for (Task.Decide one : together) {
        effects.addAll(decider.decide(state, one.input(), now));
      }
    } finally {
      acting.perform(effects, now);
    }
    OptionalLong next = decider.nextTick(state);
    wakeNanos =
        next.isEmpty()
            ? next
            : OptionalLong.of(
                System.nanoTime()
                    + TimeUnit.MILLISECONDS.toNanos(Math.max(1, next.getAsLong() - now.bootMs())));
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
