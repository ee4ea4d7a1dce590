package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.request.Fingerprint;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Versions of the kinds' file; the newest is in force on all replicas. */
public final class KindTable {
  private KindTable() {}

  /** A version as it was read from a file. */
  public record Version(long generation, String definition) {}

  /** The newest generation, 0 if there is none. */
  public static Uni<Long> newest(StatelessSession session) {
    String sql = "select coalesce(max(k.generation), 0) from kinds k";
    return Queries.single(session, sql, Map.of(), Row::bigint);
  }

  /** The newest version. */
  public static Uni<Optional<Version>> read(StatelessSession session) {
    String sql =
        "select k.generation, k.definition from kinds k order by k.generation desc limit 1";
    return Queries.first(session, sql, Map.of(), row -> new Version(row.bigint(), row.text()));
  }

  /**
   * Puts a definition in force, unless it is already. Returns the generation that is in force now.
   */
  public static Uni<Long> replace(StatelessSession session, String definition) {
    return Locks.kinds(session)
        .chain(() -> read(session))
        .chain(
            newest ->
                newest.filter(version -> version.definition().equals(definition)).isPresent()
                    ? Uni.createFrom().item(newest.get().generation())
                    : insert(session, newest.map(Version::generation).orElse(0L) + 1, definition));
  }

  /**
   * As {@link #replace}, for a replica that starts: what was in force before and was replaced since
   * is an old file that was left behind, and stays replaced.
   */
  public static Uni<Long> offer(StatelessSession session, String definition) {
    String sql = "select k.generation from kinds k where k.digest = :digest limit 1";
    return Locks.kinds(session)
        .chain(() -> Queries.list(session, sql, Map.of("digest", digest(definition)), Row::bigint))
        .chain(known -> known.isEmpty() ? replace(session, definition) : newest(session));
  }

  private static Uni<Long> insert(StatelessSession session, long generation, String definition) {
    return Queries.execute(
            session,
            "insert into kinds (generation, digest, definition, stored_at) values (:generation,"
                + " :digest, :definition, "
                + Queries.CLOCK
                + ")",
            Map.of(
                "generation", generation, "digest", digest(definition), "definition", definition))
        .replaceWith(generation);
  }

  private static String digest(String definition) {
    return Fingerprint.sha256(definition.getBytes(StandardCharsets.UTF_8));
  }
}
