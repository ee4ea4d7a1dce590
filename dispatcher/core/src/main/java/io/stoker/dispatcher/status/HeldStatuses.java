package io.stoker.dispatcher.status;

import io.stoker.common.message.RequestStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Statuses that wait for a moment, of each request the newest: one that is followed at once by
 * another is no news. Whoever handed one over is told when it, or a newer one of its request, is
 * published.
 */
public final class HeldStatuses {
  private final Map<String, Held> byRequest = new LinkedHashMap<>();
  private long bytes;

  /** A status, and who waits for it. */
  private record Held(RequestStatus status, List<Waiting> by) {}

  /** Somebody who waits for several. */
  private static final class Waiting {
    private final Consumer<Throwable> told;
    private int missing;

    Waiting(Consumer<Throwable> told, int missing) {
      this.told = told;
      this.missing = missing;
    }
  }

  /**
   * What is to be published.
   *
   * @param statuses the newest of each request
   */
  public static final class Taken {
    private final List<RequestStatus> statuses = new ArrayList<>();
    private final List<Waiting> by = new ArrayList<>();

    public List<RequestStatus> statuses() {
      return statuses;
    }

    private void add(RequestStatus status, Held held) {
      boolean older = held != null && held.status().version() > status.version();
      statuses.add(older ? held.status() : status);
      if (held != null) {
        by.addAll(held.by());
      }
    }
  }

  /**
   * Holds some.
   *
   * @param told once these, or newer ones, are published: null, or why they are not
   */
  public synchronized void hold(List<RequestStatus> statuses, Consumer<Throwable> told) {
    Waiting waiting = new Waiting(told, statuses.size());
    for (RequestStatus status : statuses) {
      Held held = byRequest.get(status.id());
      boolean newer = held == null || held.status().version() <= status.version();
      List<Waiting> by = held == null ? new ArrayList<>(1) : held.by();
      by.add(waiting);
      if (newer) {
        bytes += StatusRecord.estimate(status);
        bytes -= held == null ? 0 : StatusRecord.estimate(held.status());
        byRequest.put(status.id(), new Held(status, by));
      }
    }
  }

  /** Bytes that the JSON of those held takes, about. */
  public synchronized long bytes() {
    return bytes;
  }

  /** All that is held. */
  public synchronized Taken takeAll() {
    Taken taken = new Taken();
    byRequest.values().forEach(held -> taken.add(held.status(), held));
    byRequest.clear();
    bytes = 0;
    return taken;
  }

  /** These, which wait for nothing, in place of those that are held of the same requests. */
  public synchronized Taken take(List<RequestStatus> statuses) {
    Taken taken = new Taken();
    for (RequestStatus status : statuses) {
      Held held = byRequest.remove(status.id());
      bytes -= held == null ? 0 : StatusRecord.estimate(held.status());
      taken.add(status, held);
    }
    return taken;
  }

  /**
   * They are published, or cannot be.
   *
   * @param error null if they are
   */
  public void done(Taken taken, Throwable error) {
    List<Waiting> over = new ArrayList<>();
    synchronized (this) {
      for (Waiting one : taken.by) {
        one.missing--;
        if (one.missing == 0 || error != null) {
          over.add(one);
        }
      }
    }
    over.forEach(one -> one.told.accept(error));
  }
}
