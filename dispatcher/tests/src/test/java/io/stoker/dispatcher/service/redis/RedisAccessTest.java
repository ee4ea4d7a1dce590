package io.stoker.dispatcher.service.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.FreePorts;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackOptions;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.testing.SelfSigned;
import io.stoker.dispatcher.service.testing.TlsSwitch;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a Redis with TLS is believed. */
class RedisAccessTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Pattern REFUSED =
      Pattern.compile("cmdstat_subscribe:.*rejected_calls=([0-9]+)");
  private static final RedisOptions FEW = new RedisOptions().setMaxPoolSize(2).setMaxPoolWaiting(2);

  @TempDir Path folder;

  @Test
  void aServerIsBelieved_byItsAuthorityAndNameAlone() throws Exception {
    SelfSigned server = SelfSigned.make(folder, "server");
    SelfSigned client = SelfSigned.make(folder, "client");
    Vertx vertx = Vertx.vertx();
    try (EmbeddedStack stack =
        EmbeddedStack.start(new DataFolder(folder.resolve("stack")), StackOptions.BACKENDS_ONLY)) {
      URI plain = URI.create(stack.info().redis());
      int port = FreePorts.one();
      TlsSwitch.redis(plain, port, server, client.certificate());
      String url = "rediss://%s@%%s:%d".formatted(plain.getUserInfo(), port);

      assertThat(ask(vertx, url.formatted("127.0.0.1"), server, client)).isEqualTo("PONG");
      assertThatThrownBy(() -> ask(vertx, url.formatted("localhost"), server, client))
          .satisfies(RedisAccessTest::isOfTls);
      assertThatThrownBy(() -> ask(vertx, url.formatted("127.0.0.1"), client, client))
          .satisfies(RedisAccessTest::isOfTls);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  @Test
  void whatCannotBeUsed_isRefusedByKeyAndValue() {
    SelfSigned server = SelfSigned.make(folder, "server");
    assertThatThrownBy(
            () ->
                access(
                    Map.of(
                        "stoker.redis.url",
                        "redis://:secret@h:1",
                        "stoker.redis.tls.ca",
                        server.certificate().toString())))
        .hasMessageContainingAll("stoker.redis.tls.ca", "stoker.redis.url", "rediss://")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(
            () ->
                access(Map.of("stoker.redis.url", "rediss://h:1", "stoker.redis.tls.ca", "/none")))
        .hasMessageContaining("stoker.redis.tls.ca is /none");
  }

  /** Else each try keeps a connection, of which there are few. */
  @Test
  void whoMayNotSubscribe_isServedAllTheSame() throws Exception {
    Vertx vertx = Vertx.vertx();
    try (EmbeddedStack stack =
        EmbeddedStack.start(new DataFolder(folder.resolve("stack")), StackOptions.BACKENDS_ONLY)) {
      URI owner = URI.create(stack.info().redis());
      Request user = Request.cmd(Command.ACL).arg("SETUSER").arg("deaf").arg("on");
      user.arg(">pw").arg("~*").arg("+@all").arg("resetchannels");
      ask(vertx, new RedisOptions().setConnectionString(owner.toString()), user);
      String url = "redis://deaf:pw@%s:%d".formatted(owner.getHost(), owner.getPort());
      Redis few = Redis.createClient(vertx, new RedisOptions(FEW).setConnectionString(url));
      ReplicaPubSub deaf =
          new ReplicaPubSub(
              null,
              io.vertx.mutiny.redis.client.Redis.newInstance(few),
              vertx,
              "stoker.wanted",
              text -> {});
      try {
        deaf.start();
        for (int tries = 1; tries <= 5; tries++) {
          int least = tries;
          await().atMost(SOON).until(() -> refused(vertx, owner) >= least);
          assertThat(answer(few, Request.cmd(Command.PING))).isEqualTo("PONG");
        }
      } finally {
        deaf.stop();
        few.close();
      }
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  /** How often a subscription was refused. */
  private static int refused(Vertx vertx, URI redis) throws Exception {
    String stats =
        ask(
            vertx,
            new RedisOptions().setConnectionString(redis.toString()),
            Request.cmd(Command.INFO).arg("commandstats"));
    Matcher refused = REFUSED.matcher(stats);
    return refused.find() ? Integer.parseInt(refused.group(1)) : 0;
  }

  private static void isOfTls(Throwable error) {
    assertThat(Fault.cause(error, SSLException.class)).as(Fault.sentence(error)).isPresent();
  }

  private static String ask(Vertx vertx, String url, SelfSigned authority, SelfSigned client)
      throws Exception {
    RedisOptions options = new RedisOptions().setConnectionString(url);
    access(
            Map.of(
                "stoker.redis.url", url,
                "stoker.redis.tls.ca", authority.certificate().toString(),
                "stoker.redis.tls.cert", client.certificate().toString(),
                "stoker.redis.tls.key", client.key().toString()))
        .customize("<default>", options);
    return ask(vertx, options, Request.cmd(Command.PING));
  }

  private static String ask(Vertx vertx, RedisOptions options, Request request) throws Exception {
    Redis redis = Redis.createClient(vertx, options);
    try {
      return answer(redis, request);
    } finally {
      redis.close();
    }
  }

  private static String answer(Redis redis, Request request) throws Exception {
    return redis
        .send(request)
        .toCompletionStage()
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS)
        .toString();
  }

  private static RedisAccess access(Map<String, String> settings) {
    SmallRyeConfig config =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(StokerConfig.class)
            .withSources(new PropertiesConfigSource(settings, "test", 1))
            .build();
    return new RedisAccess(config.getConfigMapping(StokerConfig.class), config);
  }
}
