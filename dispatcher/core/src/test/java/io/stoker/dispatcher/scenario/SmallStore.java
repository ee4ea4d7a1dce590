package io.stoker.dispatcher.scenario;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.coordinator.status.StatusSink;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.runtime.Trouble;
import io.stoker.dispatcher.store.JobLock;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/** A store of which a coordinator needs little: what a test does not answer fails. */
public record SmallStore(Map<String, Function<Object[], Object>> answers) implements Store {
  public static final Environment ENVIRONMENT =
      Environment.ofProcess(Fault::ofOther, Environment::atOnce);

  public static final SetAsides ASIDES =
      new SetAsides(
          ENVIRONMENT,
          new SetAsides.Sink() {
            @Override
            public void tried(Trouble trouble) {
              throw new AssertionError(trouble.toString());
            }

            @Override
            public void show(Trouble trouble) {
              throw new AssertionError(trouble.toString());
            }
          });

  /** A port that answers what is given by the names of its methods, and nothing else. */
  public static <T> T only(Class<T> port, Map<String, Function<Object[], Object>> answers) {
    return port.cast(
        Proxy.newProxyInstance(
            port.getClassLoader(),
            new Class<?>[] {port},
            (self, method, given) -> {
              if (!answers.containsKey(method.getName())) {
                throw new UnsupportedOperationException(method.toString());
              }
              return answers.get(method.getName()).apply(given);
            }));
  }

  /** One that is woken, and is told of nothing that is owed. */
  public static StatusPublisher statuses() {
    Store silent = only(Store.class, Map.of("read", work -> Uni.createFrom().<Object>nothing()));
    return new StatusPublisher(
        ENVIRONMENT, silent, only(StatusSink.class, Map.of()), List.of(), ASIDES);
  }

  private <T> Uni<T> run(Function<Transaction, Uni<T>> work) {
    return Uni.createFrom().deferred(() -> work.apply(only(Transaction.class, answers)));
  }

  @Override
  public <T> Uni<T> transaction(String name, Function<Transaction, Uni<T>> work) {
    return run(work);
  }

  @Override
  public <T> Uni<T> holdingJobs(String name, BiFunction<Transaction, JobLock, Uni<T>> work) {
    return run(tx -> work.apply(tx, JobLock.CHANGES));
  }

  @Override
  public <T> Uni<T> once(String name, Function<Transaction, Uni<T>> work) {
    return run(work);
  }

  @Override
  public <T> Uni<T> readOnce(Function<Transaction, Uni<T>> work) {
    return run(work);
  }

  @Override
  public <T> Uni<T> read(Function<Transaction, Uni<T>> work) {
    return run(work);
  }
}
