package io.stoker.dispatcher.service.testing;

import static io.restassured.RestAssured.given;
import static org.awaitility.Awaitility.await;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.PoolOffer;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.common.message.HostMessage.RunnerOffer;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.Macs;
import io.stoker.common.topic.Topics;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * An agent that runs nothing: it speaks hello, heartbeats and events as a real one does, and ends
 * each attempt as its script says, or as a person does. One thread does all of it.
 */
public final class FakeAgent implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(20);
  private static final long HELLO_AGAIN_NANOS = 300_000_000L;
  private static final long HEARTBEAT_NANOS = 500_000_000L;

  /** A word of a command that starts so is followed by a progress, JSON, which the job tells. */
  public static final String TELLS = "tells:";

  /** A variable of a job's environment: how long it is said to have run, ms. */
  public static final String TOOK = "TOOK";

  /** What becomes of an attempt; empty lets it run until it is cancelled. */
  public interface Script extends Function<ToAgent.Place, Optional<Ending>> {}

  /**
   * How an attempt ends.
   *
   * @param why null if it does not say
   */
  public record Ending(
      AttemptEvent.Outcome outcome, String result, Integer exitCode, String log, String why) {
    public Ending(AttemptEvent.Outcome outcome, String result, Integer exitCode, String log) {
      this(outcome, result, exitCode, log, null);
    }

    public static Ending succeeded(String result) {
      return new Ending(AttemptEvent.Outcome.SUCCEEDED, result, 0, "done\n");
    }
  }

  private final String host;
  private final Topics topics;
  private final HostResources resources;
  private final Script script;
  private final KafkaProducer<String, byte[]> producer;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Map<String, ToAgent.Place> running = new LinkedHashMap<>();
  private final Map<String, ToAgent.Place> gangs = new HashMap<>();
  private final Map<String, Integer> sequences = new HashMap<>();
  private final Map<String, List<String>> devices = new HashMap<>();

  /** The highest attempt that it has had of each job: as agents do, it takes none twice. */
  private final Map<String, Integer> floors = new HashMap<>();

  private final List<ToAgent> settings = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean stopped;
  private volatile long epoch;
  private long clock;
  private long beats;

  private FakeAgent(
      String bootstrap, Topics topics, String host, HostResources resources, Script script) {
    this.host = host;
    this.topics = topics;
    this.script = script;
    this.resources = resources;
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap, "acks", "all", "linger.ms", 0),
            new StringSerializer(),
            new ByteArraySerializer());
    consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    thread = Thread.ofPlatform().name("fake-agent-" + host).daemon().unstarted(this::run);
  }

  /** Starts an agent without GPUs; it is welcomed in its own time. */
  public static FakeAgent start(
      String bootstrap, Topics topics, String host, int cpuSlots, Script script) {
    return start(bootstrap, topics, host, resources(host, cpuSlots), script);
  }

  /** Starts an agent that has this to give. */
  public static FakeAgent start(
      String bootstrap, Topics topics, String host, HostResources resources, Script script) {
    FakeAgent agent = new FakeAgent(bootstrap, topics, host, resources, script);
    agent.thread.start();
    return agent;
  }

  /** What a host without GPUs has to give. */
  public static HostResources resources(String host, int cpuSlots) {
    return new HostResources(List.of(), cpuSlots, Map.of("zone", "test", "only", host), "no GPU");
  }

  /**
   * What a host has to give that also serves other runners, and has pools.
   *
   * @param pools null for none
   */
  public static HostResources resources(
      String host, int cpuSlots, List<DeviceInfo> gpus, List<PoolOffer> pools, String... runners) {
    List<RunnerOffer> offers = new ArrayList<>();
    offers.add(new RunnerOffer("cpu", cpuSlots));
    if (!gpus.isEmpty()) {
      offers.add(new RunnerOffer("gpu", gpus.size()));
    }
    Stream.of(runners).map(runner -> new RunnerOffer(runner, 1)).forEach(offers::add);
    return HostResources.of(
        given -> {
          given.devices = gpus;
          given.cpuSlots = cpuSlots;
          given.labels = Map.of("zone", "test", "only", host);
          given.gpuState = gpus.isEmpty() ? "no GPU" : "simulated";
          given.pools = pools;
          given.runners = offers;
        });
  }

  /** Sends a record as it is, as any client may. */
  public void record(String topic, String key, String value) {
    producer.send(new ProducerRecord<>(topic, key, value.getBytes(StandardCharsets.UTF_8)));
  }

  /** Whether it holds an epoch. */
  public boolean welcomed() {
    return epoch > 0;
  }

  @Override
  public void close() throws InterruptedException {
    stopped = true;
    thread.join(Duration.ofSeconds(10));
  }

  /**
   * As {@link #close}, until the dispatcher gives it nothing more: its goodbye is heard a moment
   * later, and lost if nobody schedules just then. Jobs of other tests would wait here in vain.
   *
   * @param hosts where the dispatcher shows its hosts
   */
  public void leave(URI hosts) throws InterruptedException {
    close();
    String state = "hosts.find { it.host == '%s' }.state".formatted(host);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !"UP".equals(given().get(hosts).path(state)));
  }

  private void run() {
    try (producer;
        consumer) {
      register();
      long beatAt = 0;
      while (!stopped) {
        if (System.nanoTime() - beatAt > HEARTBEAT_NANOS) {
          heartbeat();
          beatAt = System.nanoTime();
        }
        poll();
      }
      say(new HostMessage.Goodbye(host, epoch, ""));
    }
  }

  private void register() {
    String nonce = UUID.randomUUID().toString();
    TopicPartition partition = new TopicPartition(topics.placements(host), 0);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    long helloAt = 0;
    while (!stopped && epoch == 0) {
      if (System.nanoTime() - helloAt > HELLO_AGAIN_NANOS) {
        say(
            new HostMessage.Hello(
                host, nonce, "journal-" + host, "default", "test", "boot", resources, held()));
        helloAt = System.nanoTime();
      }
      for (PlacementsRecord record : records()) {
        record.messages().stream()
            .filter(message -> epoch == 0)
            .filter(
                message ->
                    message instanceof ToAgent.Welcome welcome && welcome.nonce().equals(nonce))
            .map(ToAgent.Welcome.class::cast)
            .forEach(
                welcome -> {
                  clock = welcome.at();
                  epoch = welcome.epoch();
                });
        // What it is told at once after the welcome may come with it.
        take(record);
      }
    }
  }

  private List<PlacementsRecord> records() {
    List<PlacementsRecord> records = new ArrayList<>();
    for (var record : consumer.poll(POLL)) {
      try {
        records.add(Json.read(record.value(), PlacementsRecord.class));
      } catch (MalformedJson e) {
        throw new AssertionError("a dispatcher wrote what no agent can read", e);
      }
    }
    return records;
  }

  /** What it was told about policy and devices, in order. */
  public List<ToAgent> settings() {
    return settings;
  }

  private void poll() {
    records().forEach(this::take);
  }

  private void take(PlacementsRecord record) {
    if (epoch == 0 || record.epoch() != epoch) {
      return;
    }
    for (ToAgent message : record.messages()) {
      switch (message) {
        case ToAgent.Place place -> place(place);
        case ToAgent.Start start ->
            Optional.ofNullable(gangs.remove(key(start.job(), start.attempt())))
                .ifPresent(this::begin);
        case ToAgent.Cancel cancel -> cancel(cancel);
        case ToAgent.CallBack back ->
            throw new IllegalStateException("it does not offer to hold what is called back");
        case ToAgent.Forget forget -> sequences.remove(key(forget.job(), forget.attempt()));
        case ToAgent.Welcome welcome -> {}
        case ToAgent.Challenge asked -> {}
        case ToAgent.Refused told -> {}
        case ToAgent.Clock now -> clock = now.at();
        case ToAgent.Report report -> {}
        case ToAgent.SetPolicy set -> settings.add(set);
        case ToAgent.SetDevices set -> settings.add(set);
        case ToAgent.Pool pool -> settings.add(pool);
        case ToAgent.SetPools set -> settings.add(set);
        case ToAgent.Part part -> throw new IllegalStateException("not of an agent of today");
        case ToAgent.Finish finish -> finish(finish);
        case ToAgent.SetTimeout set -> {}
      }
    }
  }

  private void place(ToAgent.Place place) {
    if (floors.getOrDefault(place.job(), 0) >= place.attempt()) {
      return; // published again, maybe after its end was known and it was told to forget it
    }
    floors.put(place.job(), place.attempt());
    String key = key(place.job(), place.attempt());
    sequences.put(key, 0);
    running.put(key, place);
    choose(place);
    event(place, Type.ACCEPTED, null);
    if (place.gang() == null) {
      begin(place);
    } else {
      gangs.put(key, place);
    }
  }

  /** Gives it the first GPUs that nothing has. */
  private void choose(ToAgent.Place place) {
    List<String> taken = devices.values().stream().flatMap(List::stream).toList();
    devices.put(
        key(place.job(), place.attempt()),
        resources.devices().stream()
            .map(DeviceInfo::id)
            .filter(id -> !taken.contains(id))
            .limit(place.workload().share().gpus().count())
            .toList());
  }

  private void begin(ToAgent.Place place) {
    event(place, Type.RUNNING, null);
    place.program().command().stream()
        .filter(word -> word.startsWith(TELLS))
        .forEach(word -> event(place, Type.PROGRESS, null, word.substring(TELLS.length())));
    script.apply(place).ifPresent(ending -> end(place, ending));
  }

  private void cancel(ToAgent.Cancel cancel) {
    gangs.remove(key(cancel.job(), cancel.attempt()));
    ToAgent.Place place = running.get(key(cancel.job(), cancel.attempt()));
    if (place != null) {
      end(place, new Ending(AttemptEvent.Outcome.CANCELLED, null, null, ""));
    }
  }

  /** What a person says of it comes until it has ended. */
  private void finish(ToAgent.Finish finish) {
    ToAgent.Place place = running.get(key(finish.job(), finish.attempt()));
    if (place != null) {
      end(
          place,
          finish.failed() == null
              ? Ending.succeeded(finish.result() == null ? null : finish.result().toString())
              : new Ending(AttemptEvent.Outcome.FAILED, null, null, finish.failed() + "\n"));
    }
  }

  private void end(ToAgent.Place place, Ending ending) {
    log(place, ending.log());
    running.remove(key(place.job(), place.attempt()));
    event(place, Type.ENDED, ending);
    devices.remove(key(place.job(), place.attempt()));
  }

  private void log(ToAgent.Place place, String text) {
    send(
        topics.logs(),
        place.job(),
        new LogChunk(
            new LogChunk.Source(
                place.job(),
                place.attempt(),
                place.gang() == null ? null : place.gang().rank(),
                host,
                place.request()),
            "stdout",
            0,
            System.currentTimeMillis(),
            text,
            true,
            false));
  }

  private void event(ToAgent.Place place, Type type, Ending ending) {
    event(place, type, ending, null);
  }

  private void event(ToAgent.Place place, Type type, Ending ending, String progress) {
    int seq = sequences.merge(key(place.job(), place.attempt()), 1, Integer::sum);
    AttemptEvent event =
        AttemptEvent.of(place.job(), place.attempt())
            .seq(seq)
            .type(type)
            .at(System.currentTimeMillis())
            .devices(devices.getOrDefault(key(place.job(), place.attempt()), List.of()))
            .outcome(ending == null ? null : ending.outcome())
            .category(
                ending != null && ending.outcome() == AttemptEvent.Outcome.FAILED
                    ? io.stoker.common.state.FailureCategory.APP
                    : null)
            .exitCode(ending == null ? null : ending.exitCode())
            .result(ending == null || ending.result() == null ? null : read(ending.result()))
            .progress(progress == null ? null : read(progress))
            .message(ending == null ? null : ending.why())
            .usage(ending == null ? null : took(place))
            .address(place.gang() != null && type == Type.ACCEPTED ? host + ":1" : null)
            .build();
    String mac = Macs.sign(Base64.getDecoder().decode(place.token()), event);
    send(topics.events(), place.job(), new EventsRecord(host, epoch, List.of(event.signed(mac))));
  }

  private static Usage took(ToAgent.Place place) {
    String took = place.program().env().get(TOOK);
    Long ms = took == null ? null : Long.valueOf(took);
    return ms == null ? null : new Usage(ms, ms, null, null);
  }

  private static com.fasterxml.jackson.databind.JsonNode read(String json) {
    try {
      return Json.read(json);
    } catch (MalformedJson e) {
      throw new IllegalArgumentException("what a script says: " + json, e);
    }
  }

  private void heartbeat() {
    say(
        new HostMessage.Heartbeat(
            host,
            epoch,
            ++beats,
            System.currentTimeMillis(),
            clock,
            held(),
            new Reserved(0, 0),
            telemetry()));
  }

  /** As if what has a GPU took half of its memory, and used it by the most part. */
  private List<DeviceTelemetry> telemetry() {
    List<String> taken = devices.values().stream().flatMap(List::stream).toList();
    return resources.devices().stream()
        .map(
            gpu ->
                taken.contains(gpu.id())
                    ? new DeviceTelemetry(gpu.id(), gpu.memory() / 2, 87, 61, 310_000)
                    : new DeviceTelemetry(gpu.id(), 0L, 0, 34, 60_000))
        .toList();
  }

  private List<HeldAttempt> held() {
    return running.values().stream()
        .map(
            place ->
                new HeldAttempt(
                    place.job(),
                    place.attempt(),
                    sequences.get(key(place.job(), place.attempt())),
                    true,
                    null))
        .toList();
  }

  private void say(HostMessage message) {
    send(topics.heartbeats(), host, message);
  }

  private void send(String topic, String key, Object message) {
    producer.send(new ProducerRecord<>(topic, key, Json.bytes(message)));
  }

  private static String key(String job, int attempt) {
    return job + "/" + attempt;
  }
}
