package io.stoker.dispatcher.service.protocol;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.Macs;
import io.stoker.common.state.FailureCategory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * An agent that does nothing by itself: a test says each of its words. Its host has a label of its
 * own, {@code only}, so that requests can ask for it.
 */
final class HandAgent implements AutoCloseable {
  private static final long AGAIN_NANOS = 3_000_000_000L;
  static final int SLOTS = 4;

  private final Site site;
  private final String host;
  private final String only;
  private final int slots;
  private final Integer lookAhead;
  private final TopicLog placements;
  private final List<ToAgent> told = new ArrayList<>();
  private long epoch;
  private Optional<byte[]> key = Optional.empty();
  private long beats;
  private int seq;

  private HandAgent(Site site, String host, String only, int slots, Integer lookAhead) {
    this.site = site;
    this.host = host;
    this.only = only;
    this.slots = slots;
    this.lookAhead = lookAhead;
    placements = TopicLog.fromStart(site.bootstrap(), site.topics().placements(host));
  }

  /** An agent that was welcomed and has sent one heartbeat. */
  static HandAgent start(Site site, String host) {
    return start(site, host, host);
  }

  /** As {@link #start(Site, String)}, with a label that other hosts may have, too. */
  static HandAgent start(Site site, String host, String only) {
    return start(site, host, only, SLOTS);
  }

  /** As {@link #start(Site, String, String)}, with so many CPU slots. */
  static HandAgent start(Site site, String host, String only, int slots) {
    return started(new HandAgent(site, host, only, slots, null));
  }

  /** As {@link #start(Site, String)}, with one CPU slot, behind which it holds so many jobs. */
  static HandAgent lookingAhead(Site site, String host, int most) {
    return started(new HandAgent(site, host, host, 1, most));
  }

  private static HandAgent started(HandAgent agent) {
    agent.hello("first");
    agent.beat(0);
    return agent;
  }

  String host() {
    return host;
  }

  /** Says hello until it is welcomed, as agents do; returns the epoch granted. */
  long hello(String nonce) {
    int before = welcomes(nonce).size();
    AtomicLong said = new AtomicLong(System.nanoTime() - AGAIN_NANOS);
    TopicLog.until(
        "the welcome of " + nonce,
        () -> {
          if (System.nanoTime() - said.get() >= AGAIN_NANOS) {
            said.set(System.nanoTime());
            sayHello(nonce);
          }
          return welcomes(nonce).size() > before;
        });
    epoch = welcomes(nonce).getLast().epoch();
    return epoch;
  }

  private void sayHello(String nonce) {
    say(
        new Hello(
            host,
            nonce,
            "journal",
            "default",
            "test",
            "boot",
            resources(),
            List.of(),
            null,
            null,
            null,
            key.isPresent(),
            null));
  }

  /** Signs what it says of its host with this key from now on; empty signs nothing. */
  void sign(Optional<byte[]> hostKey) {
    key = hostKey;
  }

  private void say(HostMessage message) {
    Object said = key.<Object>map(own -> Macs.signed(own, message)).orElse(message);
    site.send(site.topics().heartbeats(), said);
  }

  private List<ToAgent.Welcome> welcomes(String nonce) {
    return told(ToAgent.Welcome.class).stream()
        .filter(welcome -> welcome.nonce().equals(nonce))
        .toList();
  }

  private HostResources resources() {
    return HostResources.of(
        given -> {
          given.cpuSlots = slots;
          given.labels = Map.of("only", only);
          given.gpuState = "none";
          given.lookAhead = lookAhead;
        });
  }

  /**
   * Sends a heartbeat.
   *
   * @param clock its lower bound of the dispatcher's clock, ms since 1970
   * @param held what its journal holds
   */
  void beat(long clock, ToAgent.Place... held) {
    List<HeldAttempt> journal = new ArrayList<>();
    for (ToAgent.Place place : held) {
      journal.add(new HeldAttempt(place.job(), place.attempt(), 1, true, null));
    }
    beat(clock, journal);
  }

  /** Sends a heartbeat: it has journaled that it will not begin this, and holds nothing else. */
  void beatCancelled(long clock, ToAgent.Cancel told) {
    beat(
        clock,
        List.of(
            new HeldAttempt(told.job(), told.attempt(), 1, false, AttemptEvent.Outcome.CANCELLED)));
  }

  private void beat(long clock, List<HeldAttempt> journal) {
    say(
        new Heartbeat(
            host,
            epoch,
            ++beats,
            System.currentTimeMillis(),
            clock,
            journal,
            new Reserved(0, 0),
            List.of()));
  }

  /** The placement of this attempt of the request, once it was told. */
  ToAgent.Place awaitPlace(String request, int attempt) {
    return awaitPlace(request, attempt, 1);
  }

  /** As {@link #awaitPlace(String, int)}, once it was told so many times. */
  ToAgent.Place awaitPlace(String request, int attempt, int times) {
    TopicLog.until(
        "placement " + times + " of attempt " + attempt + " of " + request,
        () -> placesOf(request, attempt).size() >= times);
    return placesOf(request, attempt).getFirst();
  }

  /** The first cancel that it is told. */
  ToAgent.Cancel awaitCancel() {
    TopicLog.until("a cancel", () -> !told(ToAgent.Cancel.class).isEmpty());
    return told(ToAgent.Cancel.class).getFirst();
  }

  /** Until it is told to give an attempt back if that has not begun. */
  void awaitCallBack(ToAgent.Place place) {
    ToAgent.CallBack back = new ToAgent.CallBack(place.job(), place.attempt());
    TopicLog.until("a call back", () -> told(ToAgent.CallBack.class).contains(back));
  }

  /** How often this attempt of the request was told. */
  int timesTold(String request, int attempt) {
    return placesOf(request, attempt).size();
  }

  /** The same of all that it has been told by now, whether or not it was looked at. */
  int timesToldByNow(String request, int attempt) {
    hear(placements.rest());
    return timesTold(request, attempt);
  }

  private List<ToAgent.Place> placesOf(String request, int attempt) {
    return told(ToAgent.Place.class).stream()
        .filter(place -> place.request().equals(request) && place.attempt() == attempt)
        .toList();
  }

  /** All that it was told of a kind so far, in order. */
  <M extends ToAgent> List<M> told(Class<M> kind) {
    hear(placements.poll());
    return told.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private void hear(List<ConsumerRecord<byte[], byte[]>> records) {
    records.forEach(record -> told.addAll(read(record).messages()));
  }

  void accept(ToAgent.Place place) {
    report(place, AttemptEvent.Type.ACCEPTED, null);
  }

  /** Accepts its part of a gang, which could meet at its host's name. */
  void acceptMember(ToAgent.Place place) {
    AttemptEvent bare = bare(place, AttemptEvent.Type.ACCEPTED, null, null, null);
    send(signed(place, bare.change().address(host + ":4000").build()));
  }

  void run(ToAgent.Place place) {
    report(place, AttemptEvent.Type.RUNNING, null);
  }

  void succeed(ToAgent.Place place) {
    report(place, AttemptEvent.Type.ENDED, AttemptEvent.Outcome.SUCCEEDED);
  }

  /** Reports that it has run for so long, and well. */
  void succeedAfter(ToAgent.Place place, long ms) {
    AttemptEvent bare =
        bare(place, AttemptEvent.Type.ENDED, AttemptEvent.Outcome.SUCCEEDED, null, null);
    AttemptEvent.Usage took = new AttemptEvent.Usage(ms, ms, null, null);
    send(signed(place, bare.change().usage(took).build()));
  }

  /** Reports that the job could not be started. */
  void failToLaunch(ToAgent.Place place) {
    fail(place, FailureCategory.LAUNCH);
  }

  void fail(ToAgent.Place place, FailureCategory category) {
    AttemptEvent.Outcome failed = AttemptEvent.Outcome.FAILED;
    send(signed(place, bare(place, AttemptEvent.Type.ENDED, failed, category, null)));
  }

  void giveBack(ToAgent.Place place) {
    report(place, AttemptEvent.Type.ENDED, AttemptEvent.Outcome.RETURNED);
  }

  void cancelled(ToAgent.Place place) {
    report(place, AttemptEvent.Type.ENDED, AttemptEvent.Outcome.CANCELLED);
  }

  private void report(ToAgent.Place place, AttemptEvent.Type type, AttemptEvent.Outcome outcome) {
    send(event(place, type, outcome, place.token()));
  }

  /** An event that is signed with some token. */
  AttemptEvent event(
      ToAgent.Place place, AttemptEvent.Type type, AttemptEvent.Outcome outcome, String token) {
    return signed(token, bare(place, type, outcome, null, null));
  }

  private static AttemptEvent signed(ToAgent.Place place, AttemptEvent bare) {
    return signed(place.token(), bare);
  }

  private static AttemptEvent signed(String token, AttemptEvent bare) {
    return bare.signed(Macs.sign(Base64.getDecoder().decode(token), bare));
  }

  private AttemptEvent bare(
      ToAgent.Place place,
      AttemptEvent.Type type,
      AttemptEvent.Outcome outcome,
      FailureCategory category,
      JsonNode result) {
    return AttemptEvent.of(place.job(), place.attempt())
        .seq(++seq)
        .type(type)
        .at(System.currentTimeMillis())
        .devices(List.of())
        .outcome(outcome)
        .category(category)
        .message(category == null ? null : "it failed")
        .result(result)
        .build();
  }

  /** Tells intermediate results, all in one record. */
  void results(ToAgent.Place place, double... scores) {
    List<AttemptEvent> events = new ArrayList<>();
    for (double score : scores) {
      // As agents tell of what is no number.
      JsonNode told = Double.isNaN(score) ? TextNode.valueOf("NaN") : DoubleNode.valueOf(score);
      events.add(signed(place, bare(place, AttemptEvent.Type.RESULT, null, null, told)));
    }
    site.send(site.topics().events(), new EventsRecord(host, epoch, events));
  }

  void send(AttemptEvent event) {
    site.send(site.topics().events(), new EventsRecord(host, epoch, List.of(event)));
  }

  private static PlacementsRecord read(ConsumerRecord<byte[], byte[]> record) {
    try {
      return Json.read(record.value(), PlacementsRecord.class);
    } catch (MalformedJson e) {
      throw new AssertionError("a dispatcher wrote what no agent can read", e);
    }
  }

  void sayGoodbye() {
    say(new Goodbye(host, epoch, null));
  }

  /** The records on its topic so far, as they are. */
  List<byte[]> records() {
    return placements.all().stream().map(ConsumerRecord::value).toList();
  }

  /**
   * Says goodbye until it is heard, so that nothing of other tests is placed here; again if nobody
   * scheduled when it was said. One that was lost is given nothing anyway.
   */
  void leave() {
    await()
        .atMost(TopicLog.PATIENCE)
        .until(
            () -> {
              sayGoodbye();
              return !site.query("select state from host where id = ?", host).equals(List.of("UP"));
            });
  }

  @Override
  public void close() {
    leave();
    placements.close();
  }
}
