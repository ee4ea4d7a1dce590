package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.runtime.Faults;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.jboss.logging.Logger;

/** Checks that the database has the schema that this build's statements are for. */
@ApplicationScoped
public class SchemaWatch {
  private static final Logger LOG = Logger.getLogger(SchemaWatch.class);

  private final Schema needed = Schema.ofThisBuild();
  private volatile Optional<String> problem = Optional.empty();
  private volatile Optional<String> version = Optional.empty();

  /** Columns that were there when all was well: what a file of migrations tells of tables alone. */
  private volatile Set<String> seen = Set.of();

  /** What is wrong with it, and what to do. */
  public Optional<String> problem() {
    return problem;
  }

  /** Version of its schema, if it could be asked. */
  public Optional<String> version() {
    return version;
  }

  /** Version that its schema must have at least. */
  public String needed() {
    return needed.version();
  }

  /** Looks; fails where the database cannot be asked for reasons that pass. */
  Uni<Boolean> look(StatelessSession session) {
    return Queries.list(session, Schema.COLUMNS, Map.of(), Row::text)
        .chain(
            columns ->
                versions(session)
                    .invoke(versions -> version = versions.flatMap(Schema::newest))
                    .map(versions -> judge(versions, columns)))
        .invoke(this::note)
        .map(Optional::isEmpty);
  }

  /** The look itself failed. */
  boolean lookedInVain(Throwable error) {
    note(Schema.problem(error));
    return false;
  }

  /** Nothing where its user may not read them: then the tables alone tell. */
  private static Uni<Optional<Collection<String>>> versions(StatelessSession session) {
    return Queries.list(session, Schema.VERSIONS, Map.of(), Row::text)
        .map(Optional::<Collection<String>>of)
        .onFailure(error -> Faults.sqlState(error).filter(Schema.MAY_NOT::equals).isPresent())
        .recoverWithItem(Optional.empty());
  }

  private Optional<String> judge(Optional<Collection<String>> versions, List<String> columns) {
    Optional<String> lacks = needed.problem(versions, columns);
    if (lacks.isPresent()) {
      return lacks;
    }
    Set<String> gone = new HashSet<>(seen);
    columns.forEach(gone::remove);
    if (gone.isEmpty()) {
      seen = Set.copyOf(columns);
      return Optional.empty();
    }
    return Optional.of("columns %s have gone: put them back".formatted(gone));
  }

  private void note(Optional<String> now) {
    if (!now.equals(problem)) {
      problem = now;
      if (now.isPresent()) {
        LOG.errorf("nothing is taken until the database is ready: %s", now.get());
      } else {
        LOG.info("the database is ready");
      }
    }
  }
}
