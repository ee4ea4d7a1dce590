package io.stoker.dispatcher.service.postgres;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * One pool to Hibernate Reactive: a context that is marked as a reader's has its connections from
 * another.
 */
final class TwoPools {
  private static final String READER = TwoPools.class.getName();

  private TwoPools() {}

  /** Has what is done on this context use the connections of readers. */
  static void mark(Context context) {
    context.putLocal(READER, true);
  }

  /**
   * @param work all that no reader's context asks for
   */
  static Pool of(Pool work, Pool readers) {
    return (Pool)
        Proxy.newProxyInstance(
            Pool.class.getClassLoader(),
            work.getClass().getInterfaces(), // Quarkus asks for the driver's own
            (proxy, method, arguments) -> {
              boolean aside = method.getName().equals("getConnection") && isReaders();
              try {
                if (method.getName().equals("close")) {
                  readers.close();
                }
                return method.invoke(aside ? readers : work, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static boolean isReaders() {
    Context context = Vertx.currentContext();
    return context != null && context.getLocal(READER) != null;
  }
}
