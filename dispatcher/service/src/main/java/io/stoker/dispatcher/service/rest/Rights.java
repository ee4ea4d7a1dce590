package io.stoker.dispatcher.service.rest;

import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.mutiny.Uni;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.postgres.GroupTable;
import io.stoker.dispatcher.service.postgres.Senders;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Checks the rights of a caller beyond the role: people change what they sent themselves, and post
 * to their queues. To be asked before anything else of a call is waited for.
 */
@ApplicationScoped
public class Rights {
  public static final String READ = "read";
  public static final String SUBMIT = "submit";
  public static final String OPERATE = "operate";
  public static final String ADMIN = "admin";

  private final SecurityIdentity identity;
  private final CurrentVertxRequest current;
  private final Reads reads;

  Rights(SecurityIdentity identity, CurrentVertxRequest current, Reads reads) {
    this.current = current;
    this.identity = identity;
    this.reads = reads;
  }

  public Caller caller() {
    return BearerLogin.caller(identity);
  }

  /** Who posts these requests. */
  Caller caller(List<JobRequest> posted) {
    AuditedCalls.posts(current.getCurrent(), posted.stream().map(JobRequest::id).toList());
    return caller();
  }

  /**
   * Refuses queues that the caller may not post to.
   *
   * @throws ApiException 403
   */
  static void checkQueues(Caller caller, List<JobRequest> posted) {
    for (JobRequest request : posted) {
      if (!caller.uses(request.queue())) {
        throw ApiException.notAllowed(
            "queue", request.queue(), "one of the token's queues: " + caller.queues());
      }
    }
  }

  /**
   * The queues of which somebody is shown something.
   *
   * @param asked for; empty for all
   * @return empty for all
   * @throws ApiException 403
   */
  Set<String> queues(Optional<String> asked) {
    Caller caller = caller();
    if (asked.isEmpty()) {
      return caller.queues();
    }
    if (!caller.uses(asked.get())) {
      throw ApiException.notAllowed(
          "queue", asked.get(), "one of the token's queues: " + caller.queues());
    }
    return Set.of(asked.get());
  }

  /**
   * Fails with 403 if one of these groups is not of the caller's queues, by its first request: what
   * is added to a group counts in it, and who sees other queues only does not see it any more.
   */
  Uni<Void> checkGroups(Caller caller, Collection<String> groups) {
    if (caller.queues().isEmpty() || groups.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return reads
        .ask(session -> GroupTable.queues(session, groups))
        .invoke(
            queues ->
                queues.forEach(
                    (group, queue) -> {
                      if (!caller.uses(queue)) {
                        throw ApiException.notAllowed(
                            "group", group, "a group of the token's queues: " + caller.queues());
                      }
                    }))
        .replaceWithVoid();
  }

  /** Fails with 403 if the caller may not change this request, 404 if he may not see it. */
  Uni<Void> change(Caller caller, String id) {
    if (caller.changesAll()) {
      return Uni.createFrom().voidItem();
    }
    return reads
        .ask(session -> Senders.of(session, id))
        .invoke(
            sent -> {
              if (!sent.stream().allMatch(one -> caller.uses(one.queue()))) {
                throw ApiException.unknownRequest(id);
              }
              if (!sent.stream().allMatch(one -> caller.changes(one.sentBy(), one.queue()))) {
                throw ApiException.notAllowed("id", id, "a request that you have sent yourself");
              }
            })
        .replaceWithVoid();
  }

  /** Fails with 403 if the caller may not change all of this group, 404 if he may not see it. */
  Uni<Void> changeGroup(Caller caller, String group) {
    if (caller.changesAll()) {
      return Uni.createFrom().voidItem();
    }
    return reads
        .ask(session -> Senders.ofGroup(session, group))
        .invoke(
            sent -> {
              if (!sent.stream().allMatch(one -> caller.uses(one.queue()))) {
                throw ApiException.unknownGroup(group);
              }
              if (!sent.stream().allMatch(one -> caller.changes(one.sentBy(), one.queue()))) {
                throw ApiException.notAllowed(
                    "group", group, "a group whose requests you have all sent yourself");
              }
            })
        .replaceWithVoid();
  }
}
