package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.postgres.Senders;
import io.stoker.dispatcher.service.postgres.Senders.Sent;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Set;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/**
 * Keeps from a token with queues what is of others: a request or a group of another queue is not
 * there for it, and what tells of all jobs together is refused. {@link ListResource} and {@link
 * QueuesResource} leave out what is not its own.
 */
final class QueueReads {
  /** What tells of all jobs, whoever has sent them. */
  private static final Set<String> OF_ALL =
      Set.of("dead-letters", "estimates", "groups", "passive", "set-aside");

  /** A resource's method for GET answers HEAD, too. */
  private static final Set<String> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD);

  private final Rights rights;
  private final Reads reads;

  QueueReads(Rights rights, Reads reads) {
    this.rights = rights;
    this.reads = reads;
  }

  /** Answers nothing itself; changes are looked at by {@link Rights}. */
  @ServerRequestFilter
  public Uni<Response> check(ContainerRequestContext call) {
    Caller caller = rights.caller();
    // Of nobody the resource asks for a login.
    if (caller == null || caller.queues().isEmpty() || !READING.contains(call.getMethod())) {
      return Uni.createFrom().nullItem();
    }
    String id = named(call, "id", "request");
    String group = named(call, "group", "group");
    if (id != null) {
      return own(
          caller, reads.ask(session -> Senders.of(session, id)), ApiException.unknownRequest(id));
    }
    if (group != null) {
      return own(
          caller,
          reads.ask(session -> Senders.ofGroup(session, group)),
          ApiException.unknownGroup(group));
    }
    String first = call.getUriInfo().getPathSegments().getFirst().getPath();
    if (OF_ALL.contains(first)) {
      throw ApiException.notAllowed("queues", caller.queues().toString(), "a token of all queues");
    }
    return Uni.createFrom().nullItem();
  }

  /** By the path, or as what is watched for changes. */
  private static String named(ContainerRequestContext call, String parameter, String watched) {
    MultivaluedMap<String, String> query = call.getUriInfo().getQueryParameters();
    return watched.equals(query.getFirst("of"))
        ? query.getFirst("name")
        : call.getUriInfo().getPathParameters().getFirst(parameter);
  }

  private static Uni<Response> own(Caller caller, Uni<List<Sent>> sent, ApiException unknown) {
    return sent.onItem()
        .transformToUni(
            all ->
                all.stream().allMatch(one -> caller.uses(one.queue()))
                    ? Uni.createFrom().nullItem()
                    : Uni.createFrom().failure(unknown));
  }
}
