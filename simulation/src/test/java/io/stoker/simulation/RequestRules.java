package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.Dedup;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.VisibleResources;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.simulation.SimLog.Entry;
import io.stoker.simulation.SimLog.Partition;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What must hold of what is shown of requests, in the database and on the topic. */
final class RequestRules {
  private final World world;
  private final Tables tables;
  private final Map<String, RequestStatus> shown = new HashMap<>();
  private final Map<String, String> bound = new HashMap<>();
  private final Map<String, RequestState> terminal = new HashMap<>();
  private final Map<String, RequestStatus> newest = new HashMap<>();

  /** Whose newest status may be followed by one that tells of an earlier state. */
  private final Set<String> mayGoBack = new HashSet<>();

  RequestRules(World world, Tables tables) {
    this.world = world;
    this.tables = tables;
  }

  /** The tables are as they were before. */
  void restored() {
    shown.clear();
    terminal.clear();
    mayGoBack.addAll(newest.keySet());
  }

  void check(RequestRow row) {
    if (row.isPlaceholder()) {
      return;
    }
    if (row.job() != null && bound.put(row.id(), row.job()) == null) {
      checkResources(row);
    }
    RequestState state = tables.state(row);
    hold(
        code(row) != Code.CANCELLED
            || world.cancelled.contains(row.id())
            || PlanRules.ends(tables, row.group()),
        "request %s is CANCELLED, and nobody has asked for that",
        row.id());
    hold(
        code(row) != Code.POOL_RESET || world.poolsReset,
        "request %s is reset, and nobody has asked for that",
        row.id());
    RequestState end = terminal.get(row.id());
    hold(
        end == null || end == state,
        "request %s was %s for good, and is now %s",
        row.id(),
        end,
        state);
    if (state.terminal()) {
      terminal.put(row.id(), state);
    }
    RequestStatus before = shown.get(row.id());
    RequestStatus now = StatusView.of(row, tables.job(row), 0).orElseThrow();
    if (before != null && !now.equals(before)) {
      hold(
          now.version() > before.version(),
          "request %s changes without a higher version: %s to %s",
          row.id(),
          before,
          now);
    }
    shown.put(row.id(), now);
  }

  /** Work that was done with other resources than the job could see answers nobody. */
  private void checkResources(RequestRow row) {
    RequestRow first = tables.requests.get(tables.jobs.get(row.job()).asked().firstRequest());
    Optional<JobRequest> request = StoredRequest.readable(row);
    Optional<JobRequest> ran = Optional.ofNullable(first).flatMap(StoredRequest::readable);
    boolean compared =
        request.isPresent() && ran.isPresent() && request.get().dedup() instanceof Dedup.Share;
    hold(
        !compared || VisibleResources.of(request.get()).equals(VisibleResources.of(ran.get())),
        "request %s is answered by job %s, which has other resources",
        row.id(),
        row.job());
  }

  /** Why it ended; null if it has not, or well. */
  private Code code(RequestRow row) {
    return row.ended() != null
        ? row.code()
        : tables.job(row).filter(job -> !job.live()).map(JobRow::code).orElse(null);
  }

  /** Checks what a consumer sees, that drops what is not newer than what it has. */
  void published(Entry entry) {
    RequestStatus status = (RequestStatus) entry.value();
    RequestStatus last = newest.get(status.id());
    if (last == null || status.version() > last.version()) {
      hold(
          last == null
              || !last.state().terminal()
              || last.state() == status.state()
              || last.state() == RequestState.REJECTED
              || mayGoBack.remove(status.id()),
          "the topic says of %s %s after %s",
          status.id(),
          status.state(),
          last);
      newest.put(status.id(), status);
    }
  }

  /** When all is at rest: nothing was lost, and the topic tells the truth. */
  void atRest(Map<String, JobRequest> posted, List<Partition> status) {
    Map<String, Entry> last = new HashMap<>();
    for (Partition partition : status) {
      for (int i = 0; i < partition.end(); i++) {
        last.put(partition.at(i).key(), partition.at(i));
      }
    }
    for (String id : posted.keySet()) {
      RequestRow row = tables.requests.get(id);
      boolean accepted = row != null && !row.isPlaceholder();
      hold(last.containsKey(id), "nothing is said of request %s", id);
      RequestStatus said = (RequestStatus) last.get(id).value();
      if (!accepted) {
        hold(said.state() == RequestState.REJECTED, "request %s is lost: %s", id, said);
        hold(
            said.code() == Code.DEPENDENCY_CYCLE,
            "request %s is refused, and nothing is wrong with it: %s",
            id,
            said);
        continue;
      }
      RequestStatus now = StatusView.of(row, tables.job(row), 0).orElseThrow();
      RequestStatus seen = newest.get(id);
      hold(
          seen.version() == now.version() && seen.state() == now.state(),
          "the newest status of %s was never published: %s, but it is %s",
          id,
          seen,
          now);
      hold(
          said.version() == now.version(),
          "the last status of %s is not its newest: %s, but it is %s",
          id,
          said,
          now);
    }
    Set<String> fingerprints = new HashSet<>();
    for (JobRow job : tables.jobs.values()) {
      hold(
          job.role() == JobRow.Role.NONE || fingerprints.add(job.fingerprint()),
          "two jobs answer for the fingerprint of %s",
          job.id());
    }
  }
}
