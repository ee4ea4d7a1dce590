package io.stoker.agent.loop;

import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Now;
import io.stoker.common.life.Vital;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The agent's one thread of decisions: takes inputs in order, decides, acts, and wakes itself when
 * time alone has something due. What has come while it acted is decided on together, and journaled
 * in one write. An effect that fails stops the agent: what follows it must not happen, and a
 * restart begins from the journal.
 */
public final class AgentLoop implements AutoCloseable, Mailbox {
  private static final System.Logger LOG = System.getLogger(AgentLoop.class.getName());

  /** Inputs that are decided on together: no cancel waits for more than their effects. */
  private static final int MOST = 64;

  private final AgentState state;
  private final Supplier<Now> clock;
  private final Consumer<Throwable> fatal;
  private final LinkedBlockingQueue<Task> tasks = new LinkedBlockingQueue<>();
  private final Thread thread = Vital.thread("agent", this::work);
  private final CompletableFuture<Coordinator> coordinator = new CompletableFuture<>();

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
  public AgentLoop(AgentState state, Supplier<Now> clock, Consumer<Throwable> fatal) {
    this.state = state;
    this.clock = clock;
    this.fatal = fatal;
    thread.start();
  }

  /** Says who deals with inputs. What is posted before this waits for it. */
  public void coordinate(Coordinator chosen) {
    coordinator.complete(chosen);
  }

  /**
   * Begins where the journal ends, once it may: whatever comes until then is decided on after it.
   *
   * @param clear completes when nothing is left of what an earlier agent ran and the journal does
   *     not know
   */
  public void begin(CompletableFuture<Void> clear) {
    run(
        () -> {
          try {
            clear.join();
          } catch (CompletionException e) {
            failed = true;
            LOG.log(Level.ERROR, "what an earlier agent left cannot be ended", e.getCause());
            fatal.accept(e.getCause());
            return;
          }
          decide(List.of(new Task.Decide(new Input.Restarted(), () -> {})));
        });
  }

  @Override
  public void post(Input input) {
    post(input, () -> {});
  }

  /**
   * Hands an input over.
   *
   * @param done run once it is dealt with, on the agent's thread
   */
  public void post(Input input, Runnable done) {
    tasks.add(new Task.Decide(input, done));
  }

  @Override
  public void run(Runnable task) {
    tasks.add(new Task.Run(task));
  }

  @Override
  public void fail(Throwable why) {
    fatal.accept(why);
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
        LOG.log(Level.ERROR, "the agent cannot go on after " + inputs, e);
        fatal.accept(e);
      }
    }
    together.forEach(one -> one.done().run());
  }

  private void step(List<Task.Decide> together) throws Exception {
    Coordinator acting = coordinator.join();
    Now now = clock.get();
    try {
      acting.begin(together.stream().map(Task.Decide::input).toList(), now);
    } finally {
      while (acting.next()) {
        // one thing after the other
      }
    }
    acting
        .nextTick()
        .ifPresent(
            at ->
                wakeNanos =
                    OptionalLong.of(
                        System.nanoTime()
                            + TimeUnit.MILLISECONDS.toNanos(Math.max(1, at - now.bootMs()))));
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
