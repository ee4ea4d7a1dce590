package io.stoker.cli.bench;

import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.Macs;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * A host that runs nothing: it says what an agent says, and reports a job as done, or as failed,
 * some time after it took it. Of one thread.
 */
final class VirtualHost {
  private static final int ACCEPTED = 1;
  private static final int RUNNING = 2;
  private static final int ENDED = 3;

  /** Of what runs it the host says that it failed. */
  static final String FAILS = "/bin/false";

  private final String name;
  private final byte[] key;
  private final String nonce = UUID.randomUUID().toString();
  private final HostResources resources;
  private final long jobNanos;

  /** Of which the agent has not been told that they are closed. */
  private final Map<String, HeldAttempt> held = new HashMap<>();

  private final Queue<Run> running = new ArrayDeque<>();
  private long epoch;
  private long beats;
  private long clock;

  private record Run(ToAgent.Place place, long startedAt, long endsAtNanos) {
    Outcome outcome() {
      return place.program().command().contains(FAILS) ? Outcome.FAILED : Outcome.SUCCEEDED;
    }
  }

  /**
   * @param secret of which the host's key is derived
   * @param jobNanos how long every job takes
   */
  VirtualHost(String name, byte[] secret, int cpuSlots, long jobNanos) {
    this.name = name;
    this.key = Macs.hostKey(secret, name);
    this.resources = new HostResources(List.of(), cpuSlots, Map.of(), "a virtual host");
    this.jobNanos = jobNanos;
  }

  String name() {
    return name;
  }

  boolean welcomed() {
    return epoch > 0;
  }

  /** A hello until it is welcomed, a heartbeat from then on. */
  byte[] sign() {
    HostMessage message =
        welcomed()
            ? new HostMessage.Heartbeat(
                name,
                epoch,
                ++beats,
                System.currentTimeMillis(),
                clock,
                List.copyOf(held.values()),
                new Reserved(0, 0),
                List.of())
            : new HostMessage.Hello(
                name, nonce, "journal-" + name, "default", "bench", "boot", resources, List.of());
    return Json.bytes(Macs.signed(key, message));
  }

  /** Acts on what it is told. */
  void take(PlacementsRecord record, BiConsumer<String, EventsRecord> events) {
    for (ToAgent message : record.messages()) {
      if (!welcomed()) {
        if (message instanceof ToAgent.Welcome welcome && welcome.nonce().equals(nonce)) {
          epoch = welcome.epoch();
          clock = welcome.at();
        }
      } else if (record.epoch() == epoch) {
        act(message, events);
      }
    }
  }

  private void act(ToAgent message, BiConsumer<String, EventsRecord> events) {
    switch (message) {
      case ToAgent.Place place -> place(place, events);
      case ToAgent.Forget forget -> held.remove(key(forget.job(), forget.attempt()));
      case ToAgent.Clock now -> clock = now.at();
      default -> {} // nobody cancels, and there are no devices to choose from
    }
  }

  private void place(ToAgent.Place place, BiConsumer<String, EventsRecord> events) {
    HeldAttempt taken = new HeldAttempt(place.job(), place.attempt(), RUNNING, true, null);
    if (held.putIfAbsent(key(place.job(), place.attempt()), taken) != null) {
      return; // published again
    }
    long now = System.currentTimeMillis();
    running.add(new Run(place, now, System.nanoTime() + jobNanos));
    AttemptEvent accepted = event(place, ACCEPTED, Type.ACCEPTED, null, null);
    AttemptEvent started = event(place, RUNNING, Type.RUNNING, now, null);
    events.accept(place.job(), new EventsRecord(name, epoch, List.of(accepted, started)));
  }

  /** Reports what has run long enough. */
  void end(BiConsumer<String, EventsRecord> events) {
    while (endOne(events)) {
      // the next one
    }
  }

  /** Reports the job that has run the longest, if that is long enough. */
  boolean endOne(BiConsumer<String, EventsRecord> events) {
    if (running.isEmpty() || running.peek().endsAtNanos() - System.nanoTime() > 0) {
      return false;
    }
    Run run = running.remove();
    ToAgent.Place place = run.place();
    held.put(
        key(place.job(), place.attempt()),
        new HeldAttempt(place.job(), place.attempt(), ENDED, false, run.outcome()));
    AttemptEvent ended = event(place, ENDED, Type.ENDED, run.startedAt(), run.outcome());
    events.accept(place.job(), new EventsRecord(name, epoch, List.of(ended)));
    return true;
  }

  private static AttemptEvent event(
      ToAgent.Place place, int seq, Type type, Long startedAt, Outcome outcome) {
    AttemptEvent event =
        AttemptEvent.of(place.job(), place.attempt())
            .seq(seq)
            .type(type)
            .at(System.currentTimeMillis())
            .devices(List.of())
            .startedAt(startedAt)
            .outcome(outcome)
            .exitCode(outcome == null ? null : outcome == Outcome.FAILED ? 1 : 0)
            .build();
    return event.signed(Macs.sign(Base64.getDecoder().decode(place.token()), event));
  }

  private static String key(String job, int attempt) {
    return job + "/" + attempt;
  }
}
