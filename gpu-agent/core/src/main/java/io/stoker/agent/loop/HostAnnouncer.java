package io.stoker.agent.loop;

import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.Effect.SayHeartbeat;
import io.stoker.agent.attempt.Effect.SayHello;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.ResourceOffer;
import io.stoker.agent.lease.HostVoice;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Builds what the host says, from the state at that moment. While the broker takes nothing off, at
 * most {@value #MOST_UNSENT} are under way: older ones would say nothing new.
 */
final class HostAnnouncer {
  private static final System.Logger LOG = System.getLogger(HostAnnouncer.class.getName());
  private static final int MOST_UNSENT = 3;

  private final HostFacts facts;
  private final HostVoice voice;
  private final Supplier<List<DeviceTelemetry>> telemetry;
  private int unsent;
  private boolean cutOff;

  HostAnnouncer(HostFacts facts, HostVoice voice, Supplier<List<DeviceTelemetry>> telemetry) {
    this.facts = facts;
    this.voice = voice;
    this.telemetry = telemetry;
  }

  void hello(SayHello hello, Now now, AgentState state) {
    say(
        new Hello(
            facts.agent().host(),
            hello.nonce(),
            facts.journal(),
            facts.agent().fleet(),
            facts.agent().version(),
            facts.bootId(),
            ResourceOffer.of(state, facts.labels(), facts.maxWaiting(), facts.memory(), now),
            state.held(),
            facts.seat().name(),
            facts.seat().machine(),
            hello.answer().orElse(null),
            true,
            null));
  }

  /**
   * Says it, and tells when the broker has it: from then on the lease runs. Not if what was decided
   * together with it has given its epoch up: nobody is to believe then that it is held.
   */
  void heartbeat(SayHeartbeat beat, Now now, AgentState state, Consumer<Input> inputs) {
    OptionalLong promised = state.lease().promised();
    if (promised.isEmpty() || !state.lease().epoch().equals(OptionalLong.of(beat.epoch()))) {
      return;
    }
    Heartbeat message =
        new Heartbeat(
            facts.agent().host(),
            beat.epoch(),
            beat.n(),
            now.wallMs(),
            promised.getAsLong(),
            state.held(),
            state.reserved(),
            telemetry.get(),
            ResourceOffer.pools(state),
            ResourceOffer.runners(state),
            ResourceOffer.memoryFree(state),
            null);
    say(message)
        .thenAccept(
            done -> inputs.accept(new Input.HeartbeatAcked(beat.epoch(), beat.sentBootMs())));
  }

  void inventory(long epoch, long n, Now now, AgentState state) {
    say(
        new Inventory(
            facts.agent().host(),
            epoch,
            n,
            ResourceOffer.of(state, facts.labels(), facts.maxWaiting(), facts.memory(), now),
            state.held(),
            ResourceOffer.poolsGeneration(state),
            null));
  }

  /** Completes when the broker has it. */
  CompletionStage<Void> goodbye(long epoch) {
    return say(new Goodbye(facts.agent().host(), epoch, null));
  }

  private CompletionStage<Void> say(HostMessage message) {
    synchronized (this) {
      if (unsent >= MOST_UNSENT) {
        return CompletableFuture.failedFuture(
            new IllegalStateException("the broker takes no messages off"));
      }
      unsent++;
    }
    return voice.say(message).whenComplete((done, failure) -> sent(failure));
  }

  private synchronized void sent(Throwable failure) {
    unsent--;
    notifyAll();
    tellOfBroker(failure);
  }

  /** Once for each time that it is gone, and not every few seconds for days. */
  private void tellOfBroker(Throwable failure) {
    if (failure != null && !cutOff) {
      LOG.log(
          Level.WARNING,
          "the broker cannot be reached, trying again and again: " + failure.getMessage());
    } else if (failure == null && cutOff) {
      LOG.log(Level.INFO, "the broker is there again");
    }
    cutOff = failure != null;
  }

  /**
   * Waits until the broker has everything.
   *
   * @param nanos at most
   * @return whether it has
   */
  synchronized boolean awaitIdle(long nanos) throws InterruptedException {
    long until = System.nanoTime() + nanos;
    while (unsent > 0) {
      long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }
}
