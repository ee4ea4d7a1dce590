package io.stoker.dispatcher.service.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A port behind which a server is, which can go and come back: as those who call it see a server
 * that is restarted. Connections are cut, then refused, then taken again.
 */
public final class Relay implements AutoCloseable {
  private final int target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private ServerSocket door;
  private int port;

  /**
   * @param target the server's port on this machine
   */
  public Relay(int target) throws IOException {
    this.target = target;
    start();
  }

  /** Where it is called. */
  public int port() {
    return port;
  }

  /** Takes calls, from the second time on where it was called before. */
  public void start() throws IOException {
    ServerSocket opened = new ServerSocket();
    opened.setReuseAddress(true);
    opened.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    port = opened.getLocalPort();
    door = opened;
    Thread.ofVirtual().start(() -> take(opened));
  }

  /** Cuts off all who are connected, and takes no calls. */
  public void stop() throws IOException {
    door.close();
    for (Socket one : open) {
      one.close();
    }
    open.clear();
  }

  @Override
  public void close() throws IOException {
    stop();
  }

  private void take(ServerSocket from) {
    while (!from.isClosed()) {
      try {
        Socket caller = from.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        open.add(caller);
        open.add(server);
        if (from.isClosed()) {
          // It was stopped meanwhile.
          caller.close();
          server.close();
          return;
        }
        Thread.ofVirtual().start(() -> pass(caller, server));
        Thread.ofVirtual().start(() -> pass(server, caller));
      } catch (IOException closed) {
        if (!from.isClosed()) {
          throw new UncheckedIOException(closed);
        }
      }
    }
  }

  private void pass(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException cut) {
      // By either side.
    } finally {
      open.remove(from);
    }
  }
}
