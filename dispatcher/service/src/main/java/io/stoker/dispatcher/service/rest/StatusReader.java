package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.postgres.StatusQueries;
import io.stoker.dispatcher.service.redis.ReadView;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;

/** Reads the status of a request: from fast memory if it has ended, else from the database. */
@ApplicationScoped
public class StatusReader {
  private final ReadView view;
  private final Reads reads;

  StatusReader(ReadView view, Reads reads) {
    this.view = view;
    this.reads = reads;
  }

  /** Nothing for an unknown id. */
  public Uni<Optional<RequestStatus>> find(String id) {
    return view.find(id)
        .chain(
            remembered ->
                remembered.filter(StatusReader::accepted).isPresent()
                    ? Uni.createFrom().item(remembered)
                    : stored(id).map(stored -> stored.or(() -> remembered)));
  }

  /** The request's status. Fails with 404 if none was accepted under the id. */
  public Uni<RequestStatus> accepted(String id) {
    return find(id)
        .map(
            found ->
                found
                    .filter(StatusReader::accepted)
                    .orElseThrow(() -> ApiException.unknownRequest(id)));
  }

  /** A refusal claims no id: somebody else's request may have been accepted under it since. */
  private static boolean accepted(RequestStatus status) {
    return status.state() != RequestState.REJECTED;
  }

  private Uni<Optional<RequestStatus>> stored(String id) {
    return reads
        .ask(session -> new StatusQueries(session).views(List.of(id)))
        .invoke(view::remember)
        .map(statuses -> statuses.stream().findFirst());
  }
}
