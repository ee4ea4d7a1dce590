package io.stoker.dispatcher.service.kinds;

import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.stoker.dispatcher.coordinator.intake.KindsInForce;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.kinds.KindsRefused;
import io.stoker.dispatcher.kinds.Reloaded;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.kinds.KindsFile.Read;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.KindTable;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.jboss.logging.Logger;

/**
 * The kinds in force. The database holds them, so that all replicas use the same: whoever has a
 * request of a kind to fill in asks for the newest generation first, once a batch. A replica brings
 * its file in when it starts, and when it is told to reload.
 */
@ApplicationScoped
public class KindsBook implements KindsInForce {
  private static final Logger LOG = Logger.getLogger(KindsBook.class);

  private final Database database;
  private final Optional<KindsFile> file;
  private final Event<InForce> inForce;
  private volatile Kinds current = Kinds.NONE;
  private volatile Uni<Void> brought = Uni.createFrom().voidItem();

  KindsBook(Database database, StokerConfig config, Queues queues, Event<InForce> inForce) {
    this.database = database;
    this.inForce = inForce;
    file = config.kinds().file().map(path -> new KindsFile(path, queues));
  }

  /** Other kinds than before are in force, as this replica has just seen. */
  public record InForce(Kinds kinds) {}

  /** Does not start with a file that is wrong. Without a database it starts, and waits for it. */
  void start(@Observes StartupEvent event) {
    if (file.isEmpty()) {
      return;
    }
    try {
      Read read = file.get().read();
      current = new Kinds(0, read.kinds());
      brought = database.transaction(session -> bring(session, read)).memoize().indefinitely();
      brought.subscribe().with(done -> {}, e -> LOG.errorf(e, "the kinds could not be stored"));
    } catch (KindsRefused e) {
      throw new IllegalArgumentException("stoker.kinds.file: " + place(e) + ": " + e.getMessage());
    }
  }

  private Uni<Void> bring(StatelessSession session, Read read) {
    return KindTable.offer(session, read.text())
        .chain(() -> KindTable.read(session))
        .invoke(
            version -> {
              if (!version.get().definition().equals(read.text())) {
                LOG.warnf(
                    "%s was in force before and was replaced since: generation %d stays in force;"
                        + " reload puts the file in force",
                    file.get().path(), version.get().generation());
              }
            })
        .replaceWithVoid();
  }

  /** What this replica last saw in force; what it may have missed, {@link #newest()} tells. */
  public Kinds current() {
    return current;
  }

  @Override
  public Uni<Kinds> newest() {
    return brought.chain(() -> database.read(this::newest));
  }

  /** What is in force. */
  public Uni<Kinds> newest(StatelessSession session) {
    return KindTable.newest(session)
        .chain(
            generation ->
                generation == current.generation() || generation == 0
                    ? Uni.createFrom().item(current)
                    : KindTable.read(session).map(version -> take(version.get())));
  }

  private Kinds take(KindTable.Version version) {
    try {
      Kinds kinds = new Kinds(version.generation(), KindsFile.stored(version.definition()));
      LOG.infof("%d kinds in force, generation %d", kinds.byName().size(), kinds.generation());
      current = kinds;
      inForce.fire(new InForce(kinds));
    } catch (KindsRefused e) {
      LOG.errorf(
          "kinds of generation %d are for another version of this program, line %d: %s",
          version.generation(), e.line(), e.getMessage());
    }
    return current;
  }

  /** Reads the file again. What was accepted keeps what it was filled in with. */
  public Uni<Reloaded> reload() {
    if (file.isEmpty()) {
      return database
          .readOnce(this::newest)
          .map(kinds -> applied(kinds, "stoker.kinds.file is not set: there is nothing to read"));
    }
    return Uni.createFrom()
        .item(this::readAgain)
        .runSubscriptionOn(Infrastructure.getDefaultWorkerPool())
        .chain(
            read ->
                read.refused() == null
                    ? putInForce(read.read())
                    : Uni.createFrom().item(refused(read.refused())))
        .invoke(
            reloaded ->
                LOG.infof(
                    "reload %s: %s",
                    reloaded.applied() ? "applied" : "refused", reloaded.message()));
  }

  private record ReadAgain(Read read, KindsRefused refused) {}

  private ReadAgain readAgain() {
    try {
      return new ReadAgain(file.get().read(), null);
    } catch (KindsRefused e) {
      return new ReadAgain(null, e);
    }
  }

  private Uni<Reloaded> putInForce(Read read) {
    return database
        .once(session -> KindTable.replace(session, read.text()))
        .chain(() -> database.readOnce(this::newest))
        .map(kinds -> applied(kinds, kinds.byName().size() + " kinds are in force"));
  }

  private Reloaded applied(Kinds kinds, String message) {
    String path = file.map(one -> one.path().toString()).orElse(null);
    return new Reloaded(true, kinds.generation(), kinds.byName().size(), path, null, message);
  }

  private Reloaded refused(KindsRefused why) {
    return new Reloaded(
        false,
        current.generation(),
        current.byName().size(),
        file.get().path().toString(),
        why.line() == 0 ? null : why.line(),
        place(why) + ": " + why.getMessage());
  }

  private String place(KindsRefused why) {
    return file.get().path() + (why.line() == 0 ? "" : ", line " + why.line());
  }
}
