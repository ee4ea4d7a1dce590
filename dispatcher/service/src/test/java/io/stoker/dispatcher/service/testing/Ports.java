package io.stoker.dispatcher.service.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports of this machine. */
public final class Ports {
  private Ports() {}

  /**
   * One on which nothing listens, for a server that is started later: below those that the kernel
   * gives to whoever asks for any.
   */
  public static int free() {
    while (true) {
      try (ServerSocket socket =
          new ServerSocket(ThreadLocalRandom.current().nextInt(10_000, 20_000))) {
        return socket.getLocalPort();
      } catch (BindException taken) {
        // Another one is not.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
