package io.stoker.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What people ask for: random requests and cancels, in no good order. */
final class Workload {
  private static final int LONGEST_MS = 20_000;

  private static final double LARGE = 0.15;

  private final World world;
  private final SimLog log;
  private final int hosts;
  private final int gpuHosts;
  private final Wire producer;
  private final Map<String, JobRequest> posted = new LinkedHashMap<>();
  private final int meanings;

  /** Of some meanings the requests, or the results, are large: about as large as may be. */
  private final List<Integer> sizes = new ArrayList<>();

  private final List<Integer> given = new ArrayList<>();
  private int cancels;
  private long lastPost;

  Workload(World world, SimLog log, List<Machine> machines) {
    this.world = world;
    this.log = log;
    this.hosts = machines.size();
    this.gpuHosts = (int) machines.stream().filter(machine -> machine.gpus > 0).count();
    Life life = new Life(Life.Kind.MACHINE, "producer");
    this.producer = () -> life;
    this.meanings = world.chance.between(2, 9);
    for (int meaning = 0; meaning <= meanings; meaning++) {
      sizes.add(world.chance.is(LARGE) ? world.chance.between(0, Settings.SENDS.message()) : 0);
      given.add(world.chance.is(LARGE) ? world.chance.between(0, Settings.SENDS.inputs()) : 0);
    }
  }

  /** Plans everything that will be posted. */
  void plan() {
    int count = world.chance.between(4, 18);
    long last = world.calmFrom + 5_000;
    if (world.faults.of(Fault.POISONED) > 0) {
      planNeighbours();
    }
    // Where pools have as much to do, one of both is enough.
    if (world.looksAhead && (!world.pools || world.poolChance.is(0.4))) {
      planBursts();
    }
    for (int i = 0; i < count; i++) {
      JobRequest request = request("r" + i, count);
      long at = world.chance.between(0, (int) (last * world.chance.between(1, 4) / 4));
      world.timeline.after(at, producer.life(), () -> post(request));
      if (hopeless(request)) {
        long end = world.calmFrom + JobRules.NEEDS_SETTLED + 5_000;
        world.timeline.after(end, producer.life(), () -> cancel(request.id()));
      }
      if (world.chance.is(0.15)) {
        long again = world.chance.between(0, (int) last);
        world.timeline.after(again, producer.life(), () -> post(request));
      }
      if (world.chance.is(0.05)) {
        JobRequest other = request("r" + i, count);
        if (hopeless(other)) {
          continue;
        }
        world.timeline.after(at + 3_000, producer.life(), () -> post(other));
      }
      if (world.chance.is(0.25)) {
        long when = Math.max(0, at + world.chance.between(-3_000, 15_000));
        world.timeline.after(when, producer.life(), () -> cancel(request.id()));
      }
    }
  }

  /**
   * Short jobs on one CPU slot each, more at once than there are slots: hosts hold some of them.
   */
  private void planBursts() {
    Chance chance = world.aheadChance;
    int bursts = chance.between(1, 3);
    for (int burst = 0; burst <= bursts; burst++) {
      // The last one when nothing else is wrong, so that all that is held has to start soon.
      int at =
          burst == bursts
              ? (int) world.calmFrom + chance.between(26_000, 30_000)
              : chance.between(0, (int) world.calmFrom + 10_000);
      int jobs = chance.between(8, 40);
      double longer = chance.is(0.3) ? 0.3 : 0.05;
      for (int i = 0; i < jobs; i++) {
        JobRequest request = shortOne("b" + burst + "-" + i, longer, chance);
        int when = at + chance.between(0, 300);
        world.timeline.after(when, producer.life(), () -> post(request));
        if (chance.is(0.1)) {
          int later = when + chance.between(0, 3_000);
          world.timeline.after(later, producer.life(), () -> cancel(request.id()));
        }
      }
    }
  }

  private JobRequest shortOne(String id, double longer, Chance chance) {
    ObjectNode body = neighbour(id);
    // What is alike runs about as long, and now and then far longer.
    int alike = chance.between(1, 4);
    body.putArray("command").add("run").add("a").add("short" + alike);
    body.withObject("params")
        .put("ms", chance.is(longer) ? 25_000 : alike * 60 + chance.between(0, 50));
    body.withObject("params").put("n", id);
    if (chance.is(0.2)) {
      body.put("priority", chance.between(-5, 5));
    }
    if (chance.is(0.1)) {
      body.put("queueTimeout", "2s");
    }
    if (world.plans && world.planChance.is(0.3)) {
      body.put("group", world.planChance.of(PlanWorkload.GROUPS));
    }
    return parse(body);
  }

  /**
   * Others that go on in the calm: where nothing else is done, nothing tells that what fails is at
   * fault itself.
   */
  private void planNeighbours() {
    for (int i = 0; i < 4; i++) {
      long at = world.calmFrom + 20_000 + i * 40_000L;
      for (JobRequest request : neighbours("n" + i)) {
        world.timeline.after(at, producer.life(), () -> post(request));
      }
    }
  }

  /** One that is placed, one that depends on it, one that nobody serves in its time. */
  private static List<JobRequest> neighbours(String id) {
    ObjectNode placed = neighbour(id);
    ObjectNode dependent = neighbour(id + "d");
    dependent.putArray("dependsOn").add(id);
    ObjectNode timed = neighbour(id + "t");
    timed.put("queueTimeout", "2s");
    timed.putObject("resources").putObject("require").put("only", "nowhere");
    return List.of(parse(placed), parse(dependent), parse(timed));
  }

  private static ObjectNode neighbour(String id) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("id", id);
    body.putArray("command").add("run").add("a").add(id);
    ObjectNode params = body.putObject("params");
    params.put("ms", 50);
    params.put("fails", 0);
    params.put("gib", 1);
    params.put("mem", 1);
    return body;
  }

  /** People keep placements off a host for a while, or empty it; in the end they let all serve. */
  void keepOff(String host) {
    boolean drains = world.chance.is(0.5);
    String within = world.chance.of(List.of("1s", "5s"));
    tell(
        host,
        drains
            ? new ControlMessage.Drain(nextId(), host, "repairs", within, null)
            : new ControlMessage.Cordon(nextId(), host, "repairs"));
    long again = world.now() + world.chance.between(2_000, 20_000);
    world.timeline.after(again - world.now(), producer.life(), () -> letServe(host));
    // What was slow on its way may have come after that.
    long atLast = Math.max(again, world.calmFrom) + 15_000 - world.now();
    world.timeline.after(atLast, producer.life(), () -> letServe(host));
  }

  private void letServe(String host) {
    tell(host, new ControlMessage.Uncordon(nextId(), host));
  }

  String nextId() {
    return "c" + cancels++;
  }

  void tell(String host, ControlMessage message) {
    world.note("producer", "says " + message);
    send("control", host, Json.bytes(message));
  }

  /** Plans something that people do at a time. */
  void later(long at, Runnable what) {
    world.timeline.after(at - world.now(), producer.life(), what);
  }

  /** Every id that was posted, with what was posted first. */
  Map<String, JobRequest> posted() {
    return posted;
  }

  /** When something was posted last. */
  long lastPost() {
    return lastPost;
  }

  void post(JobRequest request) {
    posted.putIfAbsent(request.id(), request);
    lastPost = world.now();
    world.note("producer", "posts " + request.spec());
    String key = request.id() + world.chance.between(0, 3);
    send("requests", key, request.spec().getBytes(StandardCharsets.UTF_8));
  }

  void cancel(String id) {
    world.note("producer", "cancels " + id);
    world.cancelled.add(id);
    send("control", id, Json.bytes(new ControlMessage.Cancel(nextId(), id, "not wanted")));
  }

  private void send(String topic, String key, byte[] record) {
    log.send(producer, topic, key, record).subscribe().with(done -> {}, world::broken);
  }

  private JobRequest request(String id, int count) {
    Chance chance = world.chance;
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    int meaning = chance.between(1, meanings);
    body.put("id", id);
    // What is alike takes about as much memory, and now and then far more.
    body.putArray("command").add("run").add(meaning % 3 == 0 ? "a" : "b").add("m" + meaning);
    ObjectNode params = body.putObject("params");
    params.put("ms", (meaning * 7919) % LONGEST_MS + 10);
    params.put("fails", meaning % 4 == 0 ? 60 : 5);
    params.put("gib", 5 + meaning * 5 % 8);
    params.put("mem", 2 + meaning * 3 % 8);
    params.put("pad", "x".repeat(sizes.get(meaning)));
    params.put("gives", given.get(meaning));
    if (chance.is(0.45)) {
      ArrayNode dependsOn = body.putArray("dependsOn");
      dependencies(id, count).forEach(other -> dependsOn.add(dependency(other)));
      body.put("dependencyTimeout", chance.of(List.of("8s", "20s", "40s")));
    }
    if (chance.is(0.3)) {
      body.put("priority", chance.between(-5, 5));
    }
    if (chance.is(0.15)) {
      body.put("queueTimeout", chance.of(List.of("2s", "10s", "30s")));
    }
    if (chance.is(0.15)) {
      body.put("timeout", chance.of(List.of("3s", "10s")));
    }
    if (chance.is(0.4)) {
      body.putObject("retry").put("app", chance.between(0, 2)).put("hostLost", 5);
    }
    if (chance.is(0.4)) {
      body.put("group", Settings.GROUP);
    }
    if (world.plans && world.planChance.is(0.5)) {
      String group = world.planChance.of(PlanWorkload.GROUPS);
      body.put("group", group);
      if (group.equals(PlanWorkload.FIRST)) {
        body.remove("dependsOn");
      }
    }
    if (meaning % 2 == 0) {
      body.put("preemptible", true);
    }
    if (chance.is(0.15)) {
      body.put("dedup", "always");
    } else if (chance.is(0.1)) {
      body.putObject("dedup").put("key", "k" + chance.between(0, 1));
    }
    resources(body.putObject("resources"));
    if (chance.is(Math.max(Fault.HOPELESS.most, world.faults.of(Fault.HOPELESS)))) {
      world.coverage.strike(Fault.HOPELESS, EnumSet.allOf(Stand.class));
      for (int host = 0; host < hosts; host++) {
        body.withObject("resources").withArray("avoid").add("h" + host);
      }
    }
    return parse(body);
  }

  /** Whether no host may ever serve it. */
  static boolean hopeless(JobRequest request) {
    return !request.resources().avoid().isEmpty();
  }

  private void resources(ObjectNode resources) {
    int able = hosts;
    if (gpuHosts > 0 && world.chance.is(0.6)) {
      resources.put("gpus", 1);
      if (world.chance.is(0.75)) {
        resources.put("sharing", "shared");
        if (world.chance.is(0.7)) {
          resources.put("gpuMemory", world.chance.between(2, 5) + "GiB");
        }
      }
      able = gpuHosts;
    } else if (world.chance.is(0.2)) {
      resources.put("cpus", 2);
    }
    if (world.chance.is(0.3)) {
      resources.put("memory", world.chance.between(1, 12) + "GiB");
    }
    if (able > 1 && world.chance.is(0.25)) {
      resources.put("hosts", world.chance.between(2, able));
    }
  }

  private JsonNode dependency(String id) {
    return world.chance.is(0.3)
        ? JsonNodeFactory.instance
            .objectNode()
            .put("id", id)
            .put("condition", world.chance.of(List.of("ended", "failed", "succeeded")))
        : JsonNodeFactory.instance.textNode(id);
  }

  private List<String> dependencies(String id, int count) {
    List<String> ids = new ArrayList<>();
    for (int i = world.chance.between(1, 3); i > 0; i--) {
      // Ids of a little beyond those posted: some are never posted.
      String other = "r" + world.chance.between(0, count + count / 8);
      if (!other.equals(id) && !ids.contains(other)) {
        ids.add(other);
      }
    }
    return ids;
  }

  static JobRequest parse(ObjectNode body) {
    if (body.get("dependsOn") instanceof ArrayNode ids && ids.isEmpty()) {
      body.remove("dependsOn");
    }
    try {
      return RequestParser.parse(body, Optional.empty());
    } catch (RequestRefused e) {
      throw new SimulationFailure("the workload is wrong: " + e.getMessage(), e);
    }
  }
}
