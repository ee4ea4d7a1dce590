package io.stoker.agent.loop;

import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Now;
import io.stoker.common.life.Vital;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The agent's one thread of decisions: takes inputs in order, has each of them dealt with, and
 * wakes itself when time alone has something due. An effect that fails stops the agent: what
 * follows it must not happen, and a restart begins from the journal.
 */
public final class AgentLoop implements AutoCloseable, Mailbox {
  private static final System.Logger LOG = System.getLogger(AgentLoop.class.getName());

  private final AgentState state;
  private final Supplier<Now> clock;
  private final Consumer<Throwable> fatal;
  private final ScheduledThreadPoolExecutor thread = Vital.clock("agent", 1);
  private final CompletableFuture<Coordinator> coordinator = new CompletableFuture<>();
  private boolean failed;

  /**
   * @param fatal told once why the agent cannot go on
   */
  public AgentLoop(AgentState state, Supplier<Now> clock, Consumer<Throwable> fatal) {
    this.state = state;
    this.clock = clock;
    this.fatal = fatal;
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    // What is measured or said after the end is the next agent's to find out.
    thread.setRejectedExecutionHandler(new ScheduledThreadPoolExecutor.DiscardPolicy());
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
    thread.execute(
        () -> {
          try {
            clear.join();
          } catch (CompletionException e) {
            failed = true;
            LOG.log(Level.ERROR, "what an earlier agent left cannot be ended", e.getCause());
            fatal.accept(e.getCause());
            return;
          }
          step(new Input.Restarted());
        });
  }

  @Override
  public void post(Input input) {
    thread.execute(() -> step(input));
  }

  /**
   * Hands an input over.
   *
   * @param done run once it is dealt with, on the agent's thread
   */
  public void post(Input input, Runnable done) {
    thread.execute(
        () -> {
          step(input);
          done.run();
        });
  }

  @Override
  public void run(Runnable task) {
    thread.execute(task);
  }

  @Override
  public void fail(Throwable why) {
    fatal.accept(why);
  }

  /** Completes when everything posted so far has been decided on and done. */
  public CompletableFuture<Void> caughtUp() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    thread.execute(() -> done.complete(null));
    return done;
  }

  /** Asks something of the state, on the thread that it belongs to. */
  public <T> CompletableFuture<T> ask(Function<AgentState, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      thread.execute(
          () -> {
            try {
              answer.complete(question.apply(state));
            } catch (RuntimeException e) {
              answer.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(e);
    }
    return answer;
  }

  private void step(Input input) {
    if (failed) {
      return;
    }
    try {
      Coordinator acting = coordinator.join();
      Now now = clock.get();
      acting.begin(input, now);
      while (acting.next()) {
        // one thing after the other
      }
      acting.nextTick().ifPresent(at -> tickAt(at - now.bootMs()));
    } catch (Exception e) {
      failed = true;
      LOG.log(Level.ERROR, "the agent cannot go on after " + input.getClass().getSimpleName(), e);
      fatal.accept(e);
    }
  }

  private void tickAt(long delay) {
    thread.schedule(() -> step(new Input.Tick()), Math.max(1, delay), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
