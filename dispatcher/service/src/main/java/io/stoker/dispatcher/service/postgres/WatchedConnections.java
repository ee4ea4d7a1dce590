package io.stoker.dispatcher.service.postgres;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.impl.NetSocketInternal;
import io.vertx.pgclient.impl.PgConnectionFactory;
import io.vertx.pgclient.spi.PgDriver;
import io.vertx.sqlclient.SqlConnectOptions;
import io.vertx.sqlclient.spi.ConnectionFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The driver of Postgres with connections that end when nothing arrives for too long, from their
 * handshake on.
 *
 * <p>The read time-out of Vert.x does not do: what it closes goes through the driver's codec, which
 * says goodbye to the server and waits for that to hang up, and this server does not hear. Here a
 * handler between the codec and the network closes the socket, which fails whatever waits.
 */
final class WatchedConnections extends PgDriver {
  private final Duration silence;

  /**
   * @param silence after which a connection ends
   */
  WatchedConnections(Duration silence) {
    this.silence = silence;
  }

  @Override
  public ConnectionFactory createConnectionFactory(
      Vertx vertx, Supplier<? extends Future<? extends SqlConnectOptions>> options) {
    return new PgConnectionFactory((VertxInternal) vertx, options) {
      @Override
      protected NetClient netClient(NetClientOptions ofConnection) {
        return watching(super.netClient(ofConnection));
      }
    };
  }

  /** The same client; each connection that it makes is watched. */
  private NetClient watching(NetClient client) {
    return (NetClient)
        Proxy.newProxyInstance(
            NetClient.class.getClassLoader(),
            new Class<?>[] {NetClient.class},
            (proxy, method, arguments) -> {
              try {
                Object made = method.invoke(client, arguments);
                return method.getName().equals("connect") && made instanceof Future<?> connection
                    ? connection.onSuccess(socket -> watch((NetSocket) socket))
                    : made;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void watch(NetSocket socket) {
    ((NetSocketInternal) socket)
        .channelHandlerContext()
        .pipeline()
        .addFirst("silence", new EndOfSilence(silence, System::nanoTime));
  }
}
