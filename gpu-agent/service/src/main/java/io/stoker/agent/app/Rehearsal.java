package io.stoker.agent.app;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.message.HostMessage.Reserved;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.Macs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * An agent's start without anybody to talk to, and its end: the JVM can note what every start loads
 * and links, and keep it in a cache for those that come later. All that it writes is below the
 * folder that it is started in.
 */
final class Rehearsal {
  /** Makes the agent's program this one. */
  static final String ARGUMENT = "rehearse";

  private static final Duration LENGTH = Duration.ofSeconds(5);

  private Rehearsal() {}

  static void run() throws IOException {
    Path data = Files.createTempDirectory(Path.of("").toAbsolutePath(), "rehearsal");
    try {
      configure(data);
      speak();
      Thread.ofPlatform().daemon().name("end-of-rehearsal").start(Rehearsal::endSoon);
      // By itself it would end the JVM before the folder is gone.
      Quarkus.run((Class<? extends QuarkusApplication>) null, (code, failure) -> {});
    } finally {
      delete(data);
    }
  }

  /** System properties win over whatever is configured on this machine. */
  private static void configure(Path data) {
    System.setProperty("stoker.agent.data", data.toString());
    System.setProperty("stoker.agent.host", "rehearsal");
    System.setProperty("stoker.agent.on-stop", "end");
    // Its data folder may be in /tmp, and it runs no jobs.
    System.setProperty("stoker.agent.isolation.private-tmp", "false");
    // Nobody listens there: it is tried again and again, as everywhere.
    System.setProperty("stoker.kafka.bootstrap-servers", "127.0.0.1:9");
  }

  /** What is said and heard once there is somebody to talk to. */
  private static void speak() {
    HostResources resources = new HostResources(List.of(), 1, Map.of(), "rehearsal");
    List<HostMessage> said =
        List.of(
            new Hello("host", "nonce", "id", "fleet", "1", "boot", resources, List.of()),
            new Heartbeat("host", 1, 1, 1, 1, List.of(), new Reserved(0, 0), List.of()),
            new Inventory("host", 1, 1, resources, List.of(), null));
    PlacementsRecord heard =
        new PlacementsRecord(
            "host",
            1,
            List.of(
                new ToAgent.Challenge("nonce", "challenge"),
                new ToAgent.Welcome("nonce", 1, 1, 1, 1, 1),
                new ToAgent.Clock(1, 1)));
    AttemptEvent event =
        AttemptEvent.of("job", 1)
            .type(AttemptEvent.Type.ENDED)
            .at(1)
            .devices(List.of())
            .outcome(AttemptEvent.Outcome.SUCCEEDED)
            .exitCode(0)
            .build();
    byte[] key = {1};
    said.forEach(message -> Json.bytes(Macs.signed(key, message)));
    AttemptEvent proven = event.proven(key);
    Macs.seal(key, Json.bytes(new EventsRecord("host", 1, List.of(proven))));
    try {
      Json.read(Json.bytes(heard), PlacementsRecord.class);
    } catch (MalformedJson e) {
      throw new IllegalStateException("what was written cannot be read", e);
    }
  }

  private static void endSoon() {
    try {
      Thread.sleep(LENGTH);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Quarkus.asyncExit(0);
  }

  private static void delete(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.walk(folder)) {
      all = found.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path one : all) {
      Files.deleteIfExists(one);
    }
  }
}
