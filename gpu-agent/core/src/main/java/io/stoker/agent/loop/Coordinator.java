package io.stoker.agent.loop;

import io.stoker.agent.attempt.AgentDecider;
import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.Part;
import io.stoker.agent.report.Reporter;
import io.stoker.common.message.AttemptEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * All that an agent does about what happens to it, in the order on which its promise rests: it
 * decides, journals, acts, and tells; what has ended it tells once the journal is on the disk.
 *
 * <p>One thread at a time, the agent's, which takes one step after the other. It may end between
 * any two of them, and in any of them, as a process that is killed: what another agent finds in the
 * journal is enough to go on.
 */
public final class Coordinator {
  private final AgentDecider decider;
  private final AgentState state;
  private final Mailbox mailbox;
  private final Reporter reporter;
  private final TerminalReports ends;
  private final HostAnnouncer announcer;
  private final EffectOrder order;
  private OptionalLong wake = OptionalLong.empty();

  /**
   * @param facts that it tells of its host
   */
  public Coordinator(
      AgentDecider decider, AgentState state, HostFacts facts, Ports ports, Mailbox mailbox) {
    this.decider = decider;
    this.state = state;
    this.mailbox = mailbox;
    reporter =
        new Reporter(
            ports.topics().voice(), ports.topics().events(), ports.timers().reports(), this::taken);
    ends = new TerminalReports(ports.journal(), ports.timers().disk(), new Ends());
    announcer = new HostAnnouncer(facts, ports.topics().host(), ports.host().devices().telemetry());
    order =
        new EffectOrder(
            new JournalWriter(ports.journal(), ports.host().spareRoom(), ports.observer().ended()),
            state,
            new EffectActions(
                state, ports, new EffectActions.Tellers(reporter, ends, announcer), mailbox::post),
            mailbox::post);
  }

  /**
   * Decides what inputs ask for, one after the other, once {@link #next} has done all that those
   * before did. What they all ask for is journaled in one write.
   *
   * @throws RuntimeException if one cannot be decided on; what those before it ask for is to be
   *     done all the same
   */
  public void begin(List<Input> inputs, Now now) {
    List<Effect> effects = new ArrayList<>();
    try {
      for (Input input : inputs) {
        if (input instanceof Input.Tick) {
          wake = OptionalLong.empty();
        }
        effects.addAll(decider.decide(state, input, now));
      }
    } finally {
      if (!effects.isEmpty()) {
        reporter.inEpoch(state.lease().epoch(), state.lease().sealedEvents());
      }
      order.begin(effects, now);
    }
  }

  /** Does the next thing that is due; false if nothing is left. */
  public boolean next() {
    return order.next();
  }

  /**
   * When time alone has something due, in ms of CLOCK_BOOTTIME: a {@link Input.Tick} is to come
   * then. Empty if none is, or if one that was asked for before comes early enough.
   */
  public OptionalLong nextTick() {
    OptionalLong next = decider.nextTick(state);
    if (next.isEmpty() || (wake.isPresent() && wake.getAsLong() <= next.getAsLong())) {
      return OptionalLong.empty();
    }
    wake = next;
    return next;
  }

  /** How many events the broker does not have yet; from any thread. */
  public int backlog() {
    return reporter.backlog();
  }

  /**
   * Tells what is left to tell; not on the agent's thread.
   *
   * @param nanos it may take
   * @return whether the broker has it
   */
  public boolean finish(long nanos) throws InterruptedException {
    long until = System.nanoTime() + nanos;
    try {
      ends.close().get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("ends could not be told", e);
    }
    return reporter.awaitIdle(until - System.nanoTime())
        && announcer.awaitIdle(until - System.nanoTime());
  }

  private void taken(List<AttemptEvent> results) {
    mailbox.post(
        new Input.ResultsTaken(
            results.stream()
                .map(
                    event ->
                        new Input.EventId(
                            new AttemptKey(event.job(), event.attempt()), event.seq()))
                .toList()));
  }

  private final class Ends implements TerminalReports.Listener {
    @Override
    public void forced(List<Effect.Send> ends) {
      reporter.sendEnds(ends);
    }

    @Override
    public void delivered(List<AttemptKey> keys) {
      mailbox.post(new Input.Delivered(keys));
    }

    @Override
    public CompletionStage<Boolean> rewrite() {
      CompletableFuture<Boolean> done = new CompletableFuture<>();
      mailbox.run(() -> done.complete(order.rewrite()));
      return done;
    }

    @Override
    public void judged(Optional<String> trouble) {
      mailbox.post(new Input.PartJudged(Part.REPORTS, trouble));
    }

    @Override
    public void failed(RuntimeException why) {
      mailbox.fail(why);
    }
  }
}
