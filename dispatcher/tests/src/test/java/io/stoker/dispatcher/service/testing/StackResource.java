package io.stoker.dispatcher.service.testing;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Unpacked;
import io.stoker.cli.topics.TopicCreator;
import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.postgres.DatabaseAddress;
import io.stoker.dispatcher.service.postgres.DatabaseTls;
import io.stoker.dispatcher.service.postgres.Migration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** Real Kafka, Postgres and Redis, started once for all Quarkus tests of the module. */
public class StackResource implements QuarkusTestResourceLifecycleManager {
  /** An open queue, one that its own topic alone reaches, and one with a short line. */
  private static final Map<String, String> QUEUES =
      Map.of(
          "stoker.queues.lab.weight", "3",
          "stoker.queues.lab.open", "true",
          "stoker.queues.lab.max-running", "2",
          "stoker.queues.vault.weight", "0.5",
          "stoker.queues.vault.fail-unsatisfiable", "1s",
          "stoker.queues.short.open", "true",
          "stoker.queues.short.max-queued", "1");

  /** The kinds that all tests find; a test that changes the file puts it back. */
  public static final String KINDS =
      """
      kinds:
        say:
          command: [say, "${params.text}"]
          labels: {from: say}
      """;

  private Path folder;
  private EmbeddedStack stack;

  @Override
  public Map<String, String> start() {
    try {
      folder = Files.createTempDirectory("stoker-dispatcher-test");
      stack = EmbeddedStack.start(new DataFolder(folder), StackOptions.BACKENDS_ONLY);
      TopicCreator.create(
          stack.info().kafka(),
          new Topics(Topics.DEFAULT_PREFIX).layouts(List.of("vault")),
          Replication.DEFAULT,
          Duration.ofMinutes(2));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the topics could not be made", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the stack started", e);
    }
    var addresses = stack.info();
    URI postgres = URI.create(addresses.postgres());
    String[] owner = postgres.getUserInfo().split(":", 2);
    String url =
        "postgresql://%s:%d%s"
            .formatted(postgres.getHost(), postgres.getPort(), postgres.getPath());
    Migration.migrate(new DatabaseAddress(url, owner[0], owner[1], DatabaseTls.NONE));
    Map<String, String> settings = new HashMap<>(QUEUES);
    // Long enough to be seen waiting, on a busy machine too.
    settings.put("stoker.retry.backoff.first", "4s");
    settings.put("stoker.retry.backoff.factor", "1");
    settings.put("stoker.retry.backoff.jitter", "0");
    settings.put("stoker.placement.say-never-after", "2s");
    // What is accepted late says nothing of what tests look at.
    settings.put("stoker.placement.accept-within", "120s");
    // Longer than a test takes that looks at a suspect host, on a busy machine too.
    settings.put("stoker.suspect.hold", "10m");
    // Who looks at single transactions would see one that stood still with the whole machine.
    settings.put(
        "quarkus.datasource.reactive.additional-properties.idle_in_transaction_session_timeout",
        "60000");
    settings.put("stoker.kinds.file", kinds().toString());
    // Any of Kafka's own, as it is by default.
    settings.put("stoker.kafka.reconnect.backoff.ms", "50");
    // Producers of an application that was stopped go on looking for a broker that is gone.
    settings.put("stoker.kafka.reconnect.backoff.max.ms", "10000");
    settings.putAll(
        Map.of(
            "stoker.kafka.bootstrap-servers",
            addresses.bootstrap(),
            "stoker.postgres.url",
            url,
            "stoker.postgres.user",
            owner[0],
            "stoker.postgres.password",
            owner[1],
            "stoker.redis.url",
            addresses.redis()));
    return settings;
  }

  /** Of all that the stack has on disk. */
  Path folder() {
    return folder;
  }

  private Path kinds() {
    try {
      return Files.writeString(folder.resolve("kinds.yaml"), KINDS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void stop() {
    try {
      if (stack != null) {
        stack.close();
      }
      if (folder != null) {
        Unpacked.delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
