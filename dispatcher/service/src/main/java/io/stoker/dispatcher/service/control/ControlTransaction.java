package io.stoker.dispatcher.service.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.attempt.Cancellation.Verdict;
import io.stoker.dispatcher.attempt.Finishing;
import io.stoker.dispatcher.control.Forgetting;
import io.stoker.dispatcher.control.Prioritising;
import io.stoker.dispatcher.control.Retrying;
import io.stoker.dispatcher.control.Retrying.Ended;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.dependency.Settlement.Dependent;
import io.stoker.dispatcher.ledger.Answer;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.StoredRequest;
import io.stoker.dispatcher.service.postgres.ControlTable;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.JobTable;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import io.stoker.dispatcher.service.postgres.RequestLoader;
import io.stoker.dispatcher.service.postgres.RequestTable;
import io.stoker.dispatcher.service.postgres.StatusQueries;
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

  /**
   * Whether anything was remembered that is not any more.
   *
   * @param request of which it is said; else that which started the job of the fingerprint
   */
  public Uni<Boolean> forget(String message, String fingerprint, Optional<String> request) {
    return database.transaction(
        session ->
            ControlTable.first(session, message)
                .chain(
                    first ->
                        first
                            ? forget(session, fingerprint, request)
                            : Uni.createFrom().item(false)));
  }

  private static Uni<Boolean> forget(
      StatelessSession session, String fingerprint, Optional<String> request) {
    return Database.now(session)
        .map(Ledger::new)
        .chain(
            ledger ->
                holders(session, ledger, List.of(fingerprint))
                    .chain(() -> meaning(session, request.or(() -> first(ledger, fingerprint))))
                    .call(means -> holders(session, ledger, all(means)))
                    .map(
                        means ->
                            Forgetting.forget(ledger, fingerprint)
                                | means.map(one -> Forgetting.forget(ledger, one)).orElse(false))
                    .call(() -> LedgerWriter.write(session, ledger)));
  }

  private static Optional<String> first(Ledger ledger, String fingerprint) {
    return ledger.holder(fingerprint).map(JobRow::firstRequest);
  }

  private static List<String> all(Optional<Meaning> means) {
    return means.map(Meaning::all).orElse(List.of());
  }

  private static Uni<Void> holders(
      StatelessSession session, Ledger ledger, List<String> fingerprints) {
    return JobTable.lockHolders(session, fingerprints)
        .invoke(
            jobs ->
                jobs.stream()
                    .filter(job -> ledger.jobs().find(job.id()).isEmpty())
                    .forEach(ledger::loadJob))
        .replaceWithVoid();
  }

  /** What a request means; nothing if it is not there any more, or cannot be read. */
  private static Uni<Optional<Meaning>> meaning(
      StatelessSession session, Optional<String> request) {
    return RequestTable.read(session, request.map(List::of).orElse(List.of()))
        .map(rows -> rows.stream().findFirst().filter(row -> row.fingerprint() != null))
        .map(row -> row.flatMap(StoredRequest::readable))
        .chain(
            found ->
                RequestTable.inputs(session, found.map(JobRequest::dependsOn).orElse(List.of()))
                    .map(inputs -> found.flatMap(one -> new Dependent(one, inputs).meaning())));
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
    return new StatusQueries(session)
        .views(wanted)
        .chain(
            views ->
                new RequestTable(session)
                    .specs(wanted)
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
