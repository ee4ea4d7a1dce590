package io.stoker.cli.status;

import io.stoker.cli.outcome.ExitCode;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Requests whose end somebody waits for: a fixed set of ids, or those of a group as they become
 * known.
 */
public final class Awaited {
  private final Predicate<RequestStatus> joins;
  private final Set<String> open = new HashSet<>();
  private final List<RequestStatus> ended = new ArrayList<>();
  private final Set<String> known = new HashSet<>();
  private final Statuses statuses = new Statuses();

  private Awaited(Predicate<RequestStatus> joins, Collection<String> ids) {
    this.joins = joins;
    this.open.addAll(ids);
    this.known.addAll(ids);
  }

  public static Awaited ids(Collection<String> ids) {
    return new Awaited(status -> false, ids);
  }

  /** Those of the group that are known when it is asked, and those that arrive while one waits. */
  public static Awaited group(String group) {
    return new Awaited(status -> group.equals(status.group()), List.of());
  }

  /** Takes a status in. Returns the status if it ends a request that was open. */
  public Optional<RequestStatus> apply(RequestStatus status) {
    if (!known.contains(status.id()) && joins.test(status)) {
      known.add(status.id());
      open.add(status.id());
    }
    if (!isEnd(status) || !open.remove(status.id())) {
      return Optional.empty();
    }
    ended.add(status);
    return Optional.of(status);
  }

  /** A refusal has no version, and is about a record of ours where its id is open. */
  private boolean isEnd(RequestStatus status) {
    return status.state() == RequestState.REJECTED
        || known.contains(status.id()) && statuses.apply(status) && status.state().terminal();
  }

  public boolean isOver() {
    return open.isEmpty();
  }

  /** Ids whose end is not known yet. */
  public Set<String> open() {
    return Set.copyOf(open);
  }

  /** What is known of one of them. */
  public Optional<RequestStatus> newest(String id) {
    return statuses.of(id);
  }

  /** Of all that was waited for, how many have ended, and how. */
  public String summary() {
    long failed = ended.size() - succeeded();
    return "%d of %d ended%s"
        .formatted(
            ended.size(), known.size(), failed == 0 ? "" : ", %d not SUCCEEDED".formatted(failed));
  }

  /** 0 if all succeeded, 1 if anything else happened or is open. */
  public int exitCode() {
    return open.isEmpty() && succeeded() == ended.size() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private long succeeded() {
    return ended.stream().filter(status -> status.state() == RequestState.SUCCEEDED).count();
  }
}
