package io.stoker.dispatcher.testing;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackOptions;
import io.stoker.dispatcher.store.Migration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/** Real Kafka, Postgres and Redis, started once for all Quarkus tests of the module. */
public class StackResource implements QuarkusTestResourceLifecycleManager {
  private Path folder;
  private EmbeddedStack stack;

  @Override
  public Map<String, String> start() {
    try {
      folder = Files.createTempDirectory("stoker-dispatcher-test");
      stack = EmbeddedStack.start(new DataFolder(folder), StackOptions.BACKENDS_ONLY);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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
    Migration.migrate(url, owner[0], owner[1]);
    return Map.of(
        "stoker.kafka.bootstrap-servers",
        addresses.bootstrap(),
        "stoker.postgres.url",
        url,
        "stoker.postgres.user",
        owner[0],
        "stoker.postgres.password",
        owner[1],
        "stoker.redis.url",
        addresses.redis());
  }

  @Override
  public void stop() {
    try {
      if (stack != null) {
        stack.close();
      }
      if (folder != null) {
        delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
