package io.stoker.dispatcher.service.rest;

import io.stoker.common.message.LogChunk;
import io.stoker.common.text.PlainText;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.postgres.ApiQueries.Placed;
import io.stoker.dispatcher.service.rest.LogTail.Piece;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Tells which chunks of a job's output are of the hosts that its attempts were placed on. Of one
 * reader; not for two threads at once.
 */
final class LogOrigin {
  /** Who writes of attempts that there are not must not have the database asked all the time. */
  private static final long ASK_AGAIN_NANOS = 20_000_000;

  private final HostKeys keys;
  private final Placements placements;
  private Map<Member, Placed> placed = Map.of();
  private long askedAt = System.nanoTime() - ASK_AGAIN_NANOS;

  /** Of what was believed last. */
  private int attempt = 1;

  private boolean remarked;

  private record Member(int attempt, int rank) {
    static Member of(LogChunk chunk) {
      return new Member(chunk.attempt(), chunk.rank() == null ? 0 : chunk.rank());
    }
  }

  /** Asks where all attempts of the job were placed. */
  interface Placements {
    List<Placed> all() throws InterruptedException;
  }

  LogOrigin(HostKeys keys, Placements placements) {
    this.keys = keys;
    this.placements = placements;
  }

  /**
   * To be called with all that are judged next. An attempt is in the database before its host hears
   * of it: one that is not there once its chunk has been read is none.
   */
  void learn(List<Piece> pieces) throws InterruptedException {
    if (!keys.judgesOutput()
        || pieces.stream().allMatch(piece -> placed.containsKey(Member.of(piece.chunk())))) {
      return;
    }
    long early = ASK_AGAIN_NANOS - (System.nanoTime() - askedAt);
    if (early > 0) {
      Thread.sleep(early / 1_000_000, (int) (early % 1_000_000));
    }
    Map<Member, Placed> known = new HashMap<>();
    placements.all().forEach(one -> known.put(new Member(one.attempt(), one.rank()), one));
    placed = known;
    askedAt = System.nanoTime();
  }

  /** Whether it may be of the host that its attempt was placed on. */
  boolean believes(Piece piece) {
    Placed at = placed.get(Member.of(piece.chunk()));
    boolean believed =
        !keys.judgesOutput()
            || at != null && keys.believesOutput(at.host(), at.at(), piece.record());
    attempt = believed ? piece.chunk().attempt() : attempt;
    return believed;
  }

  /** What a reader is told of one that is left out; once, however many follow. */
  Optional<LogChunk> remark(LogChunk leftOut) {
    if (remarked) {
      return Optional.empty();
    }
    remarked = true;
    Placed at = placed.get(Member.of(leftOut));
    String why =
        at == null
            ? "no host is known that has attempt %d".formatted(leftOut.attempt())
            : "they are not signed with the key of host %s, which has attempt %d"
                .formatted(PlainText.of(at.host()), leftOut.attempt());
    String line = "stoker: lines are left out here, and will be wherever it is so again: " + why;
    return Optional.of(LogChunk.remark(leftOut.job(), attempt, System.currentTimeMillis(), line));
  }
}
