package io.stoker.dispatcher.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.attempt.Cancellation.Verdict;
import io.stoker.dispatcher.attempt.Finishing;
import io.stoker.dispatcher.control.Retrying.Ended;
import io.stoker.dispatcher.ledger.Answer;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.store.ApiQueries;
import io.stoker.dispatcher.store.ControlTable;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.JobTable;
import io.stoker.dispatcher.store.LedgerWriter;
import io.stoker.dispatcher.store.RequestLoader;
import io.stoker.dispatcher.store.RequestTable;
import io.stoker.dispatcher.store.StatusQueries;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Loads what is decided of requests on people's behalf, and writes it. */
@ApplicationScoped
public class ControlTransaction {
  /** Requests that one retry may bring with it. */
  private static final int MOST_RETRIED = 10_000;

  private final Database database;

  ControlTransaction(Database database) {
    this.database = database;
  }

  /** In their order, though each has its effect whatever was before it. */
  public Uni<Ledger> cancel(List<ControlMessage.Cancel> cancels) {
    Set<String> requests =
        cancels.stream().map(ControlMessage.Cancel::request).collect(Collectors.toSet());
    return database.transaction(
        session ->
            RequestLoader.load(session, requests)
                .invoke(
                    ledger -> cancels.forEach(one -> cancel(ledger, one.request(), one.reason())))
                .call(ledger -> LedgerWriter.write(session, ledger)));
  }

  private static void cancel(Ledger ledger, String request, String reason) {
    boolean known = ledger.requests().find(request).filter(row -> !row.isPlaceholder()).isPresent();
    Cancellation.cancel(ledger, request, Verdict.cancelled(reason));
    if (known) {
      ledger.publishNamed(request);
    }
  }

  /** The ledger of the change; the request is named in it if it is known. */
  public Uni<Ledger> prioritise(ControlMessage.Priority asked) {
    return once(
        asked.id(),
        session ->
            RequestLoader.load(session, List.of(asked.request()))
                .invoke(
                    ledger -> {
                      Prioritising.change(ledger, asked.request(), asked.priority());
                      if (ledger.requests().find(asked.request()).isPresent()) {
                        ledger.publishNamed(asked.request());
                      }
                    })
                .call(ledger -> LedgerWriter.write(session, ledger)));
  }

  /** What is wrong with it, if anything is, and the ledger of the change. */
  Uni<Finished> finish(ControlMessage.Finish asked) {
    AtomicReference<Optional<String>> flaw = new AtomicReference<>(Optional.empty());
    return once(
            asked.id(),
            session ->
                RequestLoader.load(session, List.of(asked.request()))
                    .invoke(
                        ledger ->
                            flaw.set(
                                Finishing.finish(
                                    ledger,
                                    asked.request(),
                                    new Answer(asked.result(), asked.failed()))))
                    .call(ledger -> LedgerWriter.write(session, ledger)))
        .map(ledger -> new Finished(flaw.get(), ledger));
  }

  record Finished(Optional<String> flaw, Ledger ledger) {}

  /** Whether anything was remembered that is not any more. */
  public Uni<Boolean> forget(String message, String fingerprint) {
    return database.transaction(
        session ->
            ControlTable.first(session, message)
                .chain(
                    first -> first ? forget(session, fingerprint) : Uni.createFrom().item(false)));
  }

  private static Uni<Boolean> forget(StatelessSession session, String fingerprint) {
    return Database.now(session)
        .map(Ledger::new)
        .chain(
            ledger ->
                JobTable.lockHolders(session, List.of(fingerprint))
                    .invoke(jobs -> jobs.forEach(ledger::loadJob))
                    .map(jobs -> Forgetting.forget(ledger, fingerprint))
                    .call(forgotten -> LedgerWriter.write(session, ledger)));
  }

  /** What the request means; nothing if it is unknown or has no meaning yet. */
  public Uni<Optional<String>> fingerprint(String request) {
    return database
        .read(session -> RequestTable.read(session, List.of(request)))
        .map(rows -> rows.stream().findFirst().map(row -> row.fingerprint()));
  }

  /**
   * The request, and the dependencies that ended otherwise than SUCCEEDED, theirs too. What has not
   * been posted is left out.
   */
  Uni<Map<String, Ended>> ended(String request) {
    return database.read(session -> more(session, new HashMap<>(), List.of(request)));
  }

  private static Uni<Map<String, Ended>> more(
      StatelessSession session, Map<String, Ended> known, List<String> wanted) {
    if (wanted.isEmpty() || known.size() > MOST_RETRIED) {
      return Uni.createFrom().item(known);
    }
    return StatusQueries.views(session, wanted)
        .chain(
            views ->
                ApiQueries.specs(session, wanted)
                    .map(specs -> add(known, views, specs))
                    .chain(next -> more(session, known, next)));
  }

  /** Takes over what was read; returns what is to be read next. */
  private static List<String> add(
      Map<String, Ended> known, List<RequestStatus> views, Map<String, String> specs) {
    views.forEach(view -> known.put(view.id(), new Ended(view.state(), specs.get(view.id()))));
    return views.stream()
        .map(view -> known.get(view.id()))
        .filter(Ended::toBeRetried)
        .flatMap(one -> Retrying.dependencies(one).stream())
        .filter(id -> !known.containsKey(id))
        .distinct()
        .toList();
  }

  /** A message whose effect must not come twice; its second time it only finds what is there. */
  private Uni<Ledger> once(String message, Function<StatelessSession, Uni<Ledger>> effect) {
    return database.transaction(
        session ->
            ControlTable.first(session, message)
                .chain(
                    first ->
                        first ? effect.apply(session) : Database.now(session).map(Ledger::new)));
  }
}
