package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Meeting;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Ports of this host at which gangs meet whose rank 0 is here: each is one gang's alone until its
 * rank 0 has ended. Up to the start of that process the port is bound, so that no other program
 * gets it either; then it is the process's to bind.
 *
 * <p>One that is given back is the last to be given again. Any thread.
 */
public final class RendezvousPorts {
  private final PortRange range;
  private final Map<AttemptKey, Given> given = new HashMap<>();
  private int next;

  /**
   * A port that is somebody's.
   *
   * @param bound while nobody else is to bind it
   */
  private record Given(int port, Optional<Closeable> bound) {
    private Given vacated() {
      bound.ifPresent(RendezvousPorts::close);
      return new Given(port, Optional.empty());
    }
  }

  /**
   * @param first how far behind the range's first the port is that is tried first: agents of one
   *     machine, which know nothing of each other, had better begin at different ones
   */
  public RendezvousPorts(PortRange range, int first) {
    this.range = range;
    this.next = first;
  }

  /** The port of an attempt, bound; the one that it has, if it has one. None if all are taken. */
  public synchronized OptionalInt give(AttemptKey key) {
    Given before = given.get(key);
    if (before != null) {
      return OptionalInt.of(before.port());
    }
    for (int tried = 0; tried < range.size(); tried++) {
      int port = range.at(next++);
      Optional<Closeable> bound = isGiven(port) ? Optional.empty() : bind(port);
      if (bound.isPresent()) {
        given.put(key, new Given(port, bound));
        return OptionalInt.of(port);
      }
    }
    return OptionalInt.empty();
  }

  private boolean isGiven(int port) {
    return given.values().stream().anyMatch(one -> one.port() == port);
  }

  /** An attempt's process is about to be started: it may bind its port, which stays its own. */
  public synchronized void vacate(AttemptKey key) {
    given.computeIfPresent(key, (same, port) -> port.vacated());
  }

  /** Whether any are given. */
  public synchronized boolean any() {
    return !given.isEmpty();
  }

  /** These attempts have theirs, as an earlier agent gave them too; all others are given back. */
  public synchronized void keep(Map<AttemptKey, Meeting> meetings) {
    given
        .entrySet()
        .removeIf(
            one -> {
              boolean over = !meetings.containsKey(one.getKey());
              if (over) {
                one.getValue().vacated();
              }
              return over;
            });
    meetings.forEach((key, meeting) -> given.computeIfAbsent(key, none -> again(meeting)));
  }

  private static Given again(Meeting meeting) {
    return new Given(meeting.port(), meeting.begun() ? Optional.empty() : bind(meeting.port()));
  }

  /** Bound, and not listened at: whoever tries it meanwhile is told that nobody is there. */
  private static Optional<Closeable> bind(int port) {
    SocketChannel socket = null;
    try {
      socket = SocketChannel.open();
      socket.setOption(StandardSocketOptions.SO_REUSEADDR, false);
      socket.bind(new InetSocketAddress(port));
      return Optional.of(socket);
    } catch (IOException e) {
      if (socket != null) {
        close(socket);
      }
      return Optional.empty();
    }
  }

  private static void close(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("a bound port cannot be given up", e);
    }
  }
}
