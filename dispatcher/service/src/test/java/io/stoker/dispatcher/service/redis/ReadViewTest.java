package io.stoker.dispatcher.service.redis;

import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.status.StatusRecord;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.mutiny.redis.client.Redis;
import io.vertx.redis.client.Response;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** On a Redis that answers when the test says so. */
class ReadViewTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  private final Queue<Handler<AsyncResult<List<Response>>>> asked = new ConcurrentLinkedQueue<>();
  private final ReadView view =
      new ReadView(
          Environment.ofProcess(Fault::ofOther, Environment::atOnce),
          new FastMemory(Redis.newInstance(redis())),
          new Topics(Topics.DEFAULT_PREFIX),
          new SimpleMeterRegistry(),
          () -> Uni.createFrom().item(0L));
  private int published;

  /** Whoever asks it for anything hands over what is to hear of the answer. */
  @SuppressWarnings("unchecked")
  private io.vertx.redis.client.Redis redis() {
    return (io.vertx.redis.client.Redis)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {io.vertx.redis.client.Redis.class},
            (proxy, method, arguments) -> {
              asked.add((Handler<AsyncResult<List<Response>>>) arguments[1]);
              return proxy;
            });
  }

  private StatusRecord next() {
    RequestStatus.Draft status = new RequestStatus.Draft();
    status.id = "request-" + published++;
    status.state = RequestState.SUCCEEDED;
    StatusRecord record = StatusRecord.of(status.status());
    view.published(List.of(record));
    return record;
  }

  @Test
  void whatWasWrittenIsLetGoThoughMoreComesAllTheTime() {
    WeakReference<StatusRecord> first = new WeakReference<>(next());
    for (int i = 0; i < 5; i++) {
      next();
      asked.remove().handle(Future.succeededFuture(List.of()));
      await("the next one is written").atMost(SOON).until(() -> asked.size() == 1);
    }
    await()
        .atMost(SOON)
        .until(
            () -> {
              System.gc();
              return first.get() == null;
            });
  }
}
