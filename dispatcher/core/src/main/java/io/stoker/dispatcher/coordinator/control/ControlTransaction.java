package io.stoker.dispatcher.coordinator.control;

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
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.Answer;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Loads what is decided of requests on people's behalf, and writes it. */
public record ControlTransaction(Store store, Queues queues) {
  private static final String NAME = "control";

  /** Requests that one retry may bring with it. */
  private static final int MOST_RETRIED = 10_000;

  /** In their order, though each has its effect whatever was before it. */
  public Uni<UnitOfWork> cancel(List<ControlMessage.Cancel> cancels) {
    Set<String> requests =
        cancels.stream().map(ControlMessage.Cancel::request).collect(Collectors.toSet());
    return store.transaction(
        NAME,
        tx ->
            tx.loadRequests(requests)
                .invoke(unit -> cancels.forEach(one -> cancel(unit, one.request(), one.reason())))
                .call(unit -> tx.write(unit)));
  }

  private static void cancel(UnitOfWork unit, String request, String reason) {
    boolean known = unit.requests().find(request).filter(row -> !row.isPlaceholder()).isPresent();
    Cancellation.cancel(unit, request, Verdict.cancelled(reason));
    if (known) {
      unit.publishNamed(request);
    }
  }

  /** The unit of work of the change; the request is named in it if it is known. */
  public Uni<UnitOfWork> prioritise(ControlMessage.Priority asked) {
    return once(
        asked.id(),
        tx ->
            tx.loadRequests(List.of(asked.request()))
                .invoke(
                    unit -> {
                      Prioritising.change(unit, asked.request(), asked.priority());
                      if (unit.requests().find(asked.request()).isPresent()) {
                        unit.publishNamed(asked.request());
                      }
                    })
                .call(unit -> tx.write(unit)));
  }

  /** What is wrong with it, if anything is, and the unit of work of the change. */
  Uni<Finished> finish(ControlMessage.Finish asked) {
    AtomicReference<Optional<String>> flaw = new AtomicReference<>(Optional.empty());
    return once(
            asked.id(),
            tx ->
                tx.loadRequests(List.of(asked.request()))
                    .invoke(
                        unit ->
                            flaw.set(
                                Finishing.finish(
                                    unit,
                                    asked.request(),
                                    new Answer(asked.result(), asked.failed()))))
                    .call(unit -> tx.write(unit)))
        .map(unit -> new Finished(flaw.get(), unit));
  }

  record Finished(Optional<String> flaw, UnitOfWork unit) {}

  /**
   * Whether anything was remembered that is not any more.
   *
   * @param request of which it is said; else that which started the job of the fingerprint
   */
  public Uni<Boolean> forget(String message, String fingerprint, Optional<String> request) {
    return store.transaction(
        NAME,
        tx ->
            tx.controls()
                .first(message)
                .chain(
                    first ->
                        first ? forget(tx, fingerprint, request) : Uni.createFrom().item(false)));
  }

  private Uni<Boolean> forget(Transaction tx, String fingerprint, Optional<String> request) {
    return tx.now()
        .map(UnitOfWork::new)
        .chain(
            unit ->
                holders(tx, unit, List.of(fingerprint))
                    .chain(() -> meaning(tx, request.or(() -> first(unit, fingerprint))))
                    .call(means -> holders(tx, unit, all(means)))
                    .map(
                        means ->
                            Forgetting.forget(unit, fingerprint)
                                | means.map(one -> Forgetting.forget(unit, one)).orElse(false))
                    .call(() -> tx.write(unit)));
  }

  private static Optional<String> first(UnitOfWork unit, String fingerprint) {
    return unit.holder(fingerprint).map(job -> job.asked().firstRequest());
  }

  private static List<String> all(Optional<Meaning> means) {
    return means.map(Meaning::all).orElse(List.of());
  }

  private static Uni<Void> holders(Transaction tx, UnitOfWork unit, List<String> fingerprints) {
    return tx.jobs()
        .lockHolders(fingerprints)
        .invoke(
            jobs ->
                jobs.stream()
                    .filter(job -> unit.jobs().find(job.id()).isEmpty())
                    .forEach(unit::loadJob))
        .replaceWithVoid();
  }

  /** What a request means; nothing if it is not there any more, or cannot be read. */
  private Uni<Optional<Meaning>> meaning(Transaction tx, Optional<String> request) {
    return tx.requests()
        .read(request.map(List::of).orElse(List.of()))
        .map(rows -> rows.stream().findFirst().filter(row -> row.fingerprint() != null))
        .map(row -> row.flatMap(StoredRequest::readable))
        .chain(
            found ->
                tx.requests()
                    .inputs(found.map(JobRequest::dependsOn).orElse(List.of()))
                    .map(
                        inputs ->
                            found.flatMap(one -> new Dependent(one, inputs).meaning(queues))));
  }

  /** What the request means; nothing if it is unknown or has no meaning yet. */
  public Uni<Optional<String>> fingerprint(String request) {
    return store
        .read(tx -> tx.requests().read(List.of(request)))
        .map(rows -> rows.stream().findFirst().map(row -> row.fingerprint()));
  }

  /**
   * The request, and the dependencies that ended otherwise than SUCCEEDED, theirs too. What has not
   * been posted is left out.
   */
  Uni<Map<String, Ended>> ended(String request) {
    return store.read(tx -> more(tx, new HashMap<>(), List.of(request)));
  }

  private static Uni<Map<String, Ended>> more(
      Transaction tx, Map<String, Ended> known, List<String> wanted) {
    if (wanted.isEmpty() || known.size() > MOST_RETRIED) {
      return Uni.createFrom().item(known);
    }
    return tx.statuses()
        .views(wanted)
        .chain(
            views ->
                tx.requests()
                    .specs(wanted)
                    .map(specs -> add(known, views, specs))
                    .chain(next -> more(tx, known, next)));
  }

  /** Takes over what was read; returns what is to be read next. */
  private static List<String> add(
      Map<String, Ended> known, List<RequestStatus> views, Map<String, String> specs) {
    views.forEach(
        view -> known.put(view.id(), new Ended(view.state(), specs.get(view.id()), view.sentBy())));
    return views.stream()
        .map(view -> known.get(view.id()))
        .filter(Ended::toBeRetried)
        .flatMap(one -> Retrying.dependencies(one).stream())
        .filter(id -> !known.containsKey(id))
        .distinct()
        .toList();
  }

  /** A message whose effect must not come twice; its second time it only finds what is there. */
  private Uni<UnitOfWork> once(String message, Function<Transaction, Uni<UnitOfWork>> effect) {
    return store.transaction(
        NAME,
        tx ->
            tx.controls()
                .first(message)
                .chain(first -> first ? effect.apply(tx) : tx.now().map(UnitOfWork::new)));
  }
}
