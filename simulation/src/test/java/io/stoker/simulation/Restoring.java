package io.stoker.simulation;

import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.backup.HeardHosts;
import io.stoker.dispatcher.backup.HeardHosts.Heard;
import io.stoker.dispatcher.model.Holder;
import io.stoker.dispatcher.model.HostDuty;
import io.stoker.dispatcher.model.HostGrant;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobPolicy;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.Restored;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.simulation.SimLog.Partition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The database is lost while no dispatcher runs, and put back as it was at its backup, as Backup
 * and Restore do: with numbers above all that were given since, and the groups where they stood.
 */
final class Restoring {
  private static final long EPOCHS = 1 << 20;
  private static final int ATTEMPTS = 1_000;

  private final World world;
  private final Tables tables;
  private final SimLog log;
  private final List<ConsumerGroup> groups;
  private final Invariants invariants;
  private List<Map<Partition, Integer>> positions;
  private Map<Partition, Integer> statuses;
  private Map<Partition, Integer> ends;
  private Tables backup;

  Restoring(
      World world, Tables tables, SimLog log, List<ConsumerGroup> groups, Invariants invariants) {
    this.world = world;
    this.tables = tables;
    this.log = log;
    this.groups = groups;
    this.invariants = invariants;
  }

  void backUp() {
    world.note("database", "is backed up");
    positions = groups.stream().map(ConsumerGroup::committed).toList();
    statuses =
        Stream.of(SimStatusTopic.ALL, SimStatusTopic.OF_QUEUE)
            .flatMap(topic -> log.partitions(topic).stream())
            .collect(Collectors.toMap(one -> one, Partition::committed));
    ends = new HashMap<>();
    for (String topic : List.of("heartbeats", SimStatusTopic.ALL)) {
      log.partitions(topic).forEach(partition -> ends.put(partition, partition.end()));
    }
    backup = tables.copy();
  }

  void restore() {
    world.note("database", "is put back as it was");
    world.restores++;
    tables.become(backup);
    tables.fleetEpoch += ATTEMPTS;
    tables.heldUntil = 0;
    tables.scheduler = "";
    settleHosts();
    List<RequestStatus> said = since(SimStatusTopic.ALL, RequestStatus.class);
    said.forEach(this::riseAbove);
    goOn(said);
    liftAttempts(said);
    List<Map<Partition, Integer>> replay = groups.stream().map(ConsumerGroup::ends).toList();
    for (int i = 0; i < groups.size(); i++) {
      groups.get(i).rewind(world.has(Defect.FORGET_POSITIONS) ? replay.get(i) : positions.get(i));
    }
    statuses.forEach(Partition::commit);
    Set<String> owed =
        said.stream()
            .map(RequestStatus::id)
            .filter(tables.requests::containsKey)
            .collect(Collectors.toCollection(HashSet::new));
    tables.restored = Optional.of(new Tables.Restored(() -> isRead(replay), owed));
    invariants.restored();
  }

  private boolean isRead(List<Map<Partition, Integer>> replay) {
    for (int i = 0; i < groups.size(); i++) {
      if (!groups.get(i).isPast(replay.get(i))) {
        return false;
      }
    }
    return true;
  }

  private <T> List<T> since(String topic, Class<T> type) {
    List<T> values = new ArrayList<>();
    for (Partition partition : log.partitions(topic)) {
      for (int i = ends.get(partition); i < partition.end(); i++) {
        values.add(type.cast(partition.at(i).value()));
      }
    }
    return values;
  }

  private void settleHosts() {
    HeardHosts heard = new HeardHosts();
    since("heartbeats", HostMessage.class).forEach(heard::heard);
    Map<String, Heard> byId =
        heard.all().stream()
            .filter(one -> one.epoch() > 0)
            .collect(Collectors.toMap(Heard::id, one -> one));
    tables.hosts.replaceAll((id, row) -> known(row, byId.get(id)));
    byId.forEach((id, one) -> tables.hosts.computeIfAbsent(id, host -> unknown(one)));
  }

  private HostRow known(HostRow row, Heard heard) {
    boolean since = heard != null && heard.epoch() > row.epoch();
    long epoch = Math.max(row.epoch(), heard == null ? 0 : heard.epoch()) + jump();
    boolean asked = row.state() == HostRow.State.UP || heard != null;
    boolean outageKnown = !since || heard.resources() != null;
    String nonce = "restored " + row.id();
    HostGrant last = row.grant();
    Holder before = row.holder();
    Holder holder =
        last.nonce().equals(before.nonce())
            ? new Holder(
                nonce,
                before.seat(),
                before.machine(),
                before.challenged(),
                before.left(),
                before.rival())
            : before;
    HostResources resources =
        heard == null || heard.resources() == null ? row.resources() : heard.resources();
    return new HostRow(
        row.id(),
        row.fleet(),
        new HostGrant(epoch, nonce, last.journal(), last.version(), last.state(), last.seenAt()),
        resources,
        row.settings(),
        row.duty(),
        holder,
        asked
            ? new Restored(world.shownByDatabase(), epoch, outageKnown ? 0L : null, since, false)
            : null,
        row.key());
  }

  /** By how much the epochs of hosts are above all that were heard of. */
  private long jump() {
    return world.has(Defect.KEEP_HOST_EPOCHS) ? 0 : EPOCHS;
  }

  private HostRow unknown(Heard heard) {
    long epoch = heard.epoch() + jump();
    HostResources nothing = new HostResources(List.of(), 0, Map.of(), null);
    return new HostRow(
        heard.id(),
        Settings.FLEET,
        new HostGrant(
            epoch,
            "restored " + heard.id(),
            "",
            heard.version(),
            HostRow.State.LOST,
            world.shownByDatabase()),
        heard.resources() == null ? nothing : heard.resources(),
        null,
        HostDuty.FULL,
        null,
        new Restored(
            world.shownByDatabase(), epoch, heard.resources() == null ? null : 0L, true, false),
        null);
  }

  /** Consumers have this status, and drop what is not newer. */
  private void riseAbove(RequestStatus said) {
    RequestRow row = tables.requests.get(said.id());
    if (row == null || row.isPlaceholder()) {
      return;
    }
    long changes = StatusView.version(row, tables.job(row)) - row.version();
    if (row.version() + changes > said.version()) {
      return;
    }
    tables.requests.put(row.id(), row.later(said.version() + 1 - changes - row.version()));
  }

  /** The clock is no earlier than it was for requests that are accepted again. */
  private void goOn(List<RequestStatus> said) {
    long now = world.shownByDatabase() + tables.clockCorrection;
    long newest =
        said.stream()
            .filter(
                status ->
                    Optional.ofNullable(tables.requests.get(status.id()))
                        .filter(row -> !row.isPlaceholder())
                        .isEmpty())
            .mapToLong(RequestStatus::version)
            .max()
            .orElse(0);
    tables.clockCorrection += Math.max(0, newest + 1 - now);
  }

  private void liftAttempts(List<RequestStatus> said) {
    Map<String, Integer> given = new HashMap<>();
    for (RequestStatus status : said) {
      if (status.job() != null && status.attempt() != null) {
        given.merge(status.job(), status.attempt(), Math::max);
      }
    }
    tables.jobs.replaceAll(
        (id, job) ->
            job.live()
                ? job.change()
                    .policy(
                        above(
                            job.asked().policy(),
                            Math.max(job.latest().number(), given.getOrDefault(id, 0))))
                    .build()
                : job);
  }

  private static JobPolicy above(JobPolicy policy, int given) {
    return new JobPolicy(
        policy.attempts(),
        policy.timeoutMs(),
        policy.requiresResult(),
        policy.numbers(),
        policy.preemptible(),
        policy.agingMs(),
        policy.givenMs(),
        given + ATTEMPTS,
        policy.inLineSince());
  }
}
