package io.stoker.agent.loop;

import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.runner.Inputs;
import io.stoker.agent.spawn.BootClock;
import io.stoker.common.life.Vital;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jboss.logging.Logger;

/**
 * The agent's one thread of decisions: takes inputs in order, decides, acts, and wakes itself when
 * time alone has something due. An effect that fails stops the agent: what follows it must not
 * happen, and a restart begins from the journal.
 */
public final class AgentLoop implements AutoCloseable, Inputs {
  private static final Logger LOG = Logger.getLogger(AgentLoop.class);

  private final AgentDecider decider;
  private final AgentState state;
  private final BootClock clock;
  private final Consumer<Throwable> fatal;
  private final ScheduledThreadPoolExecutor thread = Vital.clock("agent", 1);
  private final CompletableFuture<Actions> actions = new CompletableFuture<>();
  private OptionalLong wake = OptionalLong.empty();
  private boolean failed;

  /**
   * @param fatal told once why the agent cannot go on
   */
  public AgentLoop(
      AgentDecider decider, AgentState state, BootClock clock, Consumer<Throwable> fatal) {
    this.decider = decider;
    this.state = state;
    this.clock = clock;
    this.fatal = fatal;
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    // What is measured or said after the end is the next agent's to find out.
    thread.setRejectedExecutionHandler(new ScheduledThreadPoolExecutor.DiscardPolicy());
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
    thread.execute(
        () -> {
          try {
            clear.join();
          } catch (CompletionException e) {
            failed = true;
            LOG.error("what an earlier agent left cannot be ended", e.getCause());
            fatal.accept(e.getCause());
            return;
          }
          step(new Input.Restarted());
        });
  }

  /** Hands an input over; they are decided on in the order in which they come, until it closes. */
  public void post(Input input) {
    thread.execute(() -> step(input));
  }

  @Override
  public void accept(Input input) {
    post(input);
  }

  @Override
  public void accept(Input input, Runnable done) {
    thread.execute(
        () -> {
          step(input);
          done.run();
        });
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
      Actions acting = actions.join();
      Now now = clock.now();
      acting.perform(decider.decide(state, input, now), now);
      scheduleTick(now);
    } catch (Exception e) {
      failed = true;
      LOG.error("the agent cannot go on after " + input.getClass().getSimpleName(), e);
      fatal.accept(e);
    }
  }

  private void scheduleTick(Now now) {
    OptionalLong next = decider.nextTick(state);
    if (next.isEmpty() || (wake.isPresent() && wake.getAsLong() <= next.getAsLong())) {
      return;
    }
    wake = next;
    long delay = Math.max(1, next.getAsLong() - now.bootMs());
    thread.schedule(this::tick, delay, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    wake = OptionalLong.empty();
    step(new Input.Tick());
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
