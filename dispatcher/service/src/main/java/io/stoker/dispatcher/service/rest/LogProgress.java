package io.stoker.dispatcher.service.rest;

import io.stoker.common.message.LogChunk;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * Tracks how far a job's output has been read: each chunk counts once, and the output is over with
 * the last chunk of the last attempt, of a gang with that of each member.
 */
final class LogProgress {
  /**
   * How long after the job's end last chunks may still come. One that never comes is that of a
   * member that was ended before it began, or whose host is lost.
   */
  static final long LATE_NANOS = 5_000_000_000L;

  private final String job;
  private final OptionalInt only;
  private final Set<Piece> seen = new HashSet<>();

  /** The members that have written their last, by attempt; for a job on one host that is null. */
  private final TreeMap<Integer, Set<Integer>> ended = new TreeMap<>();

  private OptionalLong overSince = OptionalLong.empty();

  private record Piece(int attempt, Integer rank, int n) {}

  /**
   * @param only the member of a gang whose output is read; empty for that of all
   */
  LogProgress(String job, OptionalInt only) {
    this.job = job;
    this.only = only;
  }

  /** Whether the chunk is of the job, and of whom it is wanted. */
  boolean wants(LogChunk chunk) {
    return job.equals(chunk.job())
        && (only.isEmpty() || Integer.valueOf(only.getAsInt()).equals(chunk.rank()));
  }

  /** Whether the chunk is wanted and new. */
  boolean take(LogChunk chunk) {
    Piece piece = new Piece(chunk.attempt(), chunk.rank(), chunk.n());
    if (!wants(chunk) || !seen.add(piece)) {
      return false;
    }
    if (chunk.last()) {
      ended.computeIfAbsent(chunk.attempt(), none -> new HashSet<>()).add(chunk.rank());
    }
    return true;
  }

  /**
   * Whether reading may stop: every member's last chunk is here, or {@link #LATE_NANOS} have passed
   * since the first call. To be called once the job has ended, and again until it is true.
   *
   * @param attempt the job's last
   * @param members how many have written it together
   * @param nanos a clock that only goes forward
   */
  boolean over(int attempt, int members, long nanos) {
    if (overSince.isEmpty()) {
      overSince = OptionalLong.of(nanos);
    }
    return complete(attempt, members) || nanos - overSince.getAsLong() > LATE_NANOS;
  }

  private boolean complete(int attempt, int members) {
    int awaited = only.isPresent() ? 1 : members;
    return ended.tailMap(attempt, true).values().stream().anyMatch(who -> who.size() >= awaited);
  }
}
