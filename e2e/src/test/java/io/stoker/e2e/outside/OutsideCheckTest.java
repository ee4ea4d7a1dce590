package io.stoker.e2e.outside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.Child;
import io.stoker.e2e.outside.OutsideLoad.Expected;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Proxies;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.TopicLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nothing lost, nothing twice, as somebody sees it who knows the topics and what the jobs
 * themselves note, and nothing of what is inside: while services, hosts, messages and jobs suffer
 * faults of many kinds at once. {@code -Psoak} strikes for an hour; {@code
 * -Dstoker.soak.outside-seed=N} draws the same faults again.
 */
@Timeout(7_200)
@BesideTheSharedStack
class OutsideCheckTest {
  private static final Duration STRIKING =
      Duration.ofSeconds(Integer.getInteger("stoker.soak.outside-seconds", 0));

  private static final long SEED = Long.getLong("stoker.soak.outside-seed", System.nanoTime());

  /** For what is left to end once the faults are over: retries wait, leases run out. */
  private static final Duration REST = Duration.ofMinutes(10);

  private static final int LEASE_MS = 6_000;
  private static final int MOST_OPEN = 60;

  /** The one whose power is cut. */
  private static final String POWERED = "host-2";

  @TempDir static Path folder;

  @Test
  void nothingIsLostAndNothingRunsTwice() throws Exception {
    assumeTrue(
        STRIKING.isPositive(), "it strikes with -Psoak, or for -Dsoak.outside-seconds=N, alone");
    System.out.printf(
        "OutsideCheckTest: %d s, -Dstoker.soak.outside-seed=%d%n", STRIKING.toSeconds(), SEED);
    JobNotes notes = new JobNotes(Files.createDirectory(folder.resolve("notes")));
    OutsideLoad load = new OutsideLoad(notes, new Random(SEED));
    StatusRules statuses = new StatusRules();
    List<String> hosts = List.of("host-1", "host-2");
    try (HostDisks disks = HostDisks.mount(folder.resolve("disks"), hosts);
        Proxies proxies =
            Proxies.of(
                Stream.of(NetworkFaults.DISPATCHERS, NetworkFaults.AGENTS)
                    .flatMap(List::stream)
                    .toArray(String[]::new));
        StokerStack stack =
            StokerStack.start(
                "outside",
                disks
                    .in(StokerStack.twoOfEach())
                    .withDispatcherEnvironment(
                        Map.of(
                            "STOKER_LEASE_DURATION", LEASE_MS + "ms",
                            "STOKER_LEASE_MARGIN", "2s",
                            "STOKER_LEASE_HEARTBEAT", "1s",
                            "STOKER_LEASE_INVENTORY", "5s",
                            "STOKER_RETRY_BACKOFF_FIRST", "100ms",
                            "STOKER_RETRY_BACKOFF_MOST", "1s")),
                proxies);
        PoweredHost powered =
            PoweredHost.insteadOf(
                stack.processes().child("agent-" + POWERED), disks.disk(POWERED), folder);
        TopicLog<Void> follower = follow(stack, statuses)) {
      Memory memory = new Memory(stack);
      HostFaults hostFaults = new HostFaults(stack, disks, powered, SEED, folder, LEASE_MS);
      Map<String, Integer> struck =
          strike(stack, hostFaults, proxies, load, notes, statuses, memory);
      awaitRest(stack, load, statuses, follower);
      Map<String, Expected> all = load.all();
      memory.look();

      List<String> broken = new ArrayList<>(statuses.broken());
      broken.addAll(statuses.overtaken());
      broken.addAll(Verdict.of(stack, all, statuses.ends(), notes));
      int faults = struck.values().stream().mapToInt(Integer::intValue).sum();
      System.out.printf(
          "%,d faults of %d kinds: %s%n%,d requests, %,d statuses, 0 lost, %d broken promises; %s%n",
          faults, struck.size(), struck, all.size(), statuses.records(), broken.size(), memory);
      assertThat(broken).isEmpty();
      assertThat(load.orphans()).as("processes left behind").isEmpty();
    }
  }

  private static TopicLog<Void> follow(StokerStack stack, StatusRules statuses) {
    return new TopicLog<>(
        stack.processes().info().kafka(),
        stack.topics().status(),
        record -> {
          statuses.see(record.key(), record.value(), record.timestamp());
          return null;
        });
  }

  /** Posts and strikes until the time is over and all is healed. */
  private static Map<String, Integer> strike(
      StokerStack stack,
      HostFaults hosts,
      Proxies proxies,
      OutsideLoad load,
      JobNotes notes,
      StatusRules statuses,
      Memory memory)
      throws Exception {
    Map<String, Integer> struck = new TreeMap<>();
    long until = System.nanoTime() + STRIKING.toNanos();
    Progress progress = new Progress();
    ServiceFaults services = new ServiceFaults(stack, SEED);
    try (MessageFaults messages = new MessageFaults(stack, load, notes, statuses, SEED)) {
      List<Lane> lanes =
          List.of(
              new Lane("services", services.all(), SEED + 1, 8_000),
              new Lane("hosts", hosts.all(), SEED + 2, 8_000),
              new Lane("network", new NetworkFaults(proxies, SEED).all(), SEED + 4, 4_000),
              new Lane("messages", messages.all(), SEED + 3, 3_000));
      try {
        while (System.nanoTime() < until && lanes.stream().noneMatch(Lane::failed)) {
          if (statuses.unended(load.all().keySet()).size() < MOST_OPEN) {
            load.wave().forEach(one -> stack.post(one.posted()));
          }
          memory.look();
          progress.ended(statuses.ends().size());
          progress.show(
              () ->
                  "%,d requests, %,d faults, %d broken promises; %s"
                      .formatted(
                          load.all().size(),
                          lanes.stream().mapToInt(Lane::strikes).sum(),
                          statuses.broken().size(),
                          memory));
          Thread.sleep(500);
        }
      } finally {
        for (Lane lane : lanes) {
          lane.close();
          struck.putAll(lane.struck());
        }
      }
    }
    return struck;
  }

  private static void awaitRest(
      StokerStack stack, OutsideLoad load, StatusRules statuses, TopicLog<Void> follower)
      throws Exception {
    for (Child child : stack.processes().children(Role.DISPATCHER)) {
      stack.processes().awaitServing(child, ServiceFaults.PATIENCE);
    }
    await("all requests to end")
        .atMost(REST)
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(() -> assertThat(statuses.unended(load.all().keySet())).isEmpty());
    await("the last statuses to be the newest")
        .atMost(REST)
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(() -> assertThat(statuses.overtaken()).isEmpty());
  }
}
