package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.LaunchFailure;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** What must hold of what is placed: where, of what is there, and how much of it. */
final class PlacementRules {
  private final Tables tables;
  private final Map<String, Long> waitsUntil = new HashMap<>();

  /** All that could not be started. */
  private final List<LaunchFailure> failed = new ArrayList<>();

  /** Those of them after which nothing has started there. */
  private final List<LaunchFailure> lasting = new ArrayList<>();

  private int shared;
  private int trials;
  private int flapping;
  private int immediate;
  private int joined;
  private int moved;
  private int held;
  private int calledBack;

  PlacementRules(Tables tables) {
    this.tables = tables;
  }

  /** Attempts that were promised a part of a GPU. */
  int shared() {
    return shared;
  }

  /** Attempts that were placed on a suspect host, to try it. */
  int trials() {
    return trials;
  }

  /** Attempts that were placed, alone, on a host that comes and goes. */
  int flapping() {
    return flapping;
  }

  /** Attempts that were placed behind the CPU slots of their hosts. */
  int held() {
    return held;
  }

  /** Attempts that were called back from there before they began. */
  int calledBack() {
    return calledBack;
  }

  /** Attempts that were opened by the transactions that took their jobs in. */
  int immediate() {
    return immediate;
  }

  /** Attempts that were opened by transactions that closed others. */
  int joined() {
    return joined;
  }

  /** Attempts that were told to leave a drained host. */
  int moved() {
    return moved;
  }

  /** The tables are as they were before. */
  void restored() {
    waitsUntil.clear();
    tables.backoffs.values().forEach(row -> waitsUntil.put(row.job(), row.dueAt()));
  }

  void check(SimTransaction transaction, UnitOfWork unit) {
    unit.backoffsEnded().forEach(job -> checkWait(transaction, job));
    unit.backedOff().forEach(row -> waitsUntil.put(row.job(), row.dueAt()));
    moved +=
        (int)
            unit.attempts().updated().stream()
                .filter(row -> row.cancelReason() != null)
                .filter(row -> row.cancelReason().startsWith("moved, as host"))
                .count();
    lasting.removeIf(one -> unit.launchedOn().contains(one.host()));
    lasting.addAll(unit.launchFailures());
    failed.addAll(unit.launchFailures());
    calledBack +=
        (int)
            unit.past().stream()
                .filter(past -> past.reason() != null && past.reason().contains("called back"))
                .count();
    boolean closes =
        transaction.ledgers().stream().anyMatch(one -> !one.attempts().removed().isEmpty());
    for (AttemptRow opened : unit.attempts().inserted()) {
      joined += closes ? 1 : 0;
      immediate += unit.jobs().before(opened.job()).isEmpty() ? 1 : 0;
      checkJob(unit, opened);
      checkHost(transaction, opened);
      checkRoom(opened);
      checkGpuMemory(transaction, opened);
      checkHostMemory(opened);
    }
  }

  /**
   * It stands in line again: no sooner than by the clock of that moment, which may be set later,
   * and back between the look that found it due and this; if that was further ahead than any wait,
   * at once.
   */
  private void checkWait(SimTransaction transaction, String job) {
    Long until = waitsUntil.remove(job);
    JobRow row = tables.jobs.get(job);
    hold(
        until == null
            || row == null
            || row.state() != JobState.QUEUED
            || transaction.now() >= until
            || transaction.world().databaseNow() >= until
            || transaction.now() + Settings.BACKOFF.mostMs() <= until,
        "job %s stands in line at %d, and waits until %s",
        job,
        transaction.now(),
        until);
  }

  private void checkJob(UnitOfWork unit, AttemptRow opened) {
    hold(
        !waitsUntil.containsKey(opened.job()),
        "job %s is placed at %d, and waits until %s",
        opened.job(),
        opened.placedAt(),
        waitsUntil.get(opened.job()));
    JobRow job = tables.jobs.get(opened.job());
    long members =
        unit.attempts().inserted().stream().filter(row -> row.job().equals(job.id())).count();
    hold(
        members == (job.latest().gang() == null ? 1 : job.latest().gang().size()),
        "job %s is placed in part: %d of %s",
        job.id(),
        members,
        job.latest().gang());
    hold(
        tables.attempts.values().stream()
            .noneMatch(open -> open.job().equals(job.id()) && open.number() != opened.number()),
        "job %s has two open attempts",
        job.id());
  }

  /** By what the pass could see when it began. */
  private void checkHost(SimTransaction transaction, AttemptRow opened) {
    HostRow host = seen(transaction, opened.host());
    hold(host.state() == HostRow.State.UP, "job %s is placed on a host that is away", opened.job());
    hold(
        !host.cordoned(),
        "job %s is placed on host %s, which is cordoned: %s",
        opened.job(),
        host.id(),
        host.reason());
    hold(
        host.resources().refuses() == null,
        "job %s is placed on host %s, which takes nothing: %s",
        opened.job(),
        host.id(),
        host.resources().refuses());
    checkFlapping(transaction, host, opened);
    // Its replica may know more: what it has heard of since it has read them last.
    List<LaunchFailure> known =
        transaction.seen().launchFailures().stream().filter(lasting::contains).toList();
    Long last = suspectSince(known, host.id(), opened.placedAt());
    boolean others =
        transaction.seen().hosts().stream()
            .anyMatch(other -> mayServe(transaction, other, opened.placedAt()));
    if (last == null || !others) {
      return;
    }
    hold(
        opened.placedAt() >= last + Settings.SUSPECTS.holdMs(),
        "job %s is placed on host %s, which is suspect",
        opened.job(),
        host.id());
    hold(
        on(host.id()).size() == 1,
        "host %s is suspect, and is tried with more than one job: %s",
        host.id(),
        on(host.id()));
    trials++;
  }

  /** One that was lost again and again has one job at a time while another takes jobs. */
  private void checkFlapping(SimTransaction transaction, HostRow host, AttemptRow opened) {
    long at = opened.placedAt();
    boolean others =
        transaction.seen().hosts().stream()
            .anyMatch(other -> mayServe(transaction, other, at) && !flaps(other, at));
    if (flaps(host, at) && others) {
      hold(
          on(host.id()).size() == 1,
          "job %s is placed on host %s, which is suspect since it was lost at %s, beside %s",
          opened.job(),
          host.id(),
          host.duty().losses(),
          on(host.id()));
      flapping++;
    }
  }

  private static boolean flaps(HostRow host, long at) {
    return host.duty().losses().stream()
            .filter(lost -> lost > at - Settings.SUSPECTS.windowMs())
            .count()
        >= Settings.SUSPECTS.losses();
  }

  private static HostRow seen(SimTransaction transaction, String id) {
    return transaction.seen().hosts().stream()
        .filter(host -> host.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private boolean mayServe(SimTransaction transaction, HostRow host, long at) {
    Long last = suspectSince(failed, host.id(), at);
    return host.state() == HostRow.State.UP
        && !host.cordoned()
        && host.resources().refuses() == null
        && transaction.seen().alive().contains(host.id())
        && (last == null || at >= last + Settings.SUSPECTS.holdMs());
  }

  /** When the last of several different jobs failed to start there; null if too few have. */
  private static Long suspectSince(List<LaunchFailure> known, String host, long at) {
    List<LaunchFailure> failed =
        known.stream()
            .filter(one -> one.host().equals(host))
            .filter(one -> one.at() > at - Settings.SUSPECTS.windowMs())
            .toList();
    Set<String> jobs = failed.stream().map(LaunchFailure::job).collect(Collectors.toSet());
    return jobs.size() < Settings.SUSPECTS.failures()
        ? null
        : failed.stream().map(LaunchFailure::at).max(Long::compare).orElseThrow();
  }

  private List<AttemptRow> on(String host) {
    return tables.attempts.values().stream().filter(row -> row.host().equals(host)).toList();
  }

  private void checkRoom(AttemptRow opened) {
    int slots = on(opened.host()).stream().mapToInt(row -> row.takes().cpuSlots()).sum();
    int has = tables.hosts.get(opened.host()).resources().cpuSlots();
    boolean ahead = on(opened.host()).stream().anyMatch(row -> tables.jobs.get(row.job()).ahead());
    Integer more = tables.hosts.get(opened.host()).resources().lookAhead();
    held += tables.jobs.get(opened.job()).ahead() ? 1 : 0;
    // One behind the slots may be heard to run before the end of the one before it is heard.
    hold(
        slots <= has + (ahead && more != null ? more : 0) || opened.takes() instanceof Takes.OnPool,
        "host %s is promised beyond what it has: %d of %d slots",
        opened.host(),
        slots,
        has);
  }

  /**
   * All that is open has a place on its host's GPUs: alone, or beside others with what each was
   * promised. What was given to it makes no difference where others were given too much before. Of
   * those whose agents have named their devices since the pass began, it could not know them: then
   * an agent gives back what does not fit.
   */
  private void checkGpuMemory(SimTransaction transaction, AttemptRow opened) {
    if (opened.takes().gpus() == 0) {
      return;
    }
    hold(
        opened.takes().gpuMemory() == null || !tables.jobs.get(opened.job()).ranOutOfGpuMemory(),
        "job %s has run out of GPU memory, and is to share",
        opened.job());
    shared += opened.takes().gpuMemory() == null ? 0 : 1;
    List<DeviceInfo> devices = tables.hosts.get(opened.host()).resources().devices();
    List<AttemptRow> open = onGpus(opened.host(), transaction.seen()::of);
    List<AttemptRow> others = without(opened, open);
    // What is placed with an event goes by what that tells, too, and by that others had too much.
    List<AttemptRow> now = without(opened, onGpus(opened.host(), row -> row));
    hold(
        fit(open, devices) || !fit(others, devices) || !fit(now, devices),
        "host %s is promised beyond the memory of its GPUs by %s beside %s",
        opened.host(),
        opened,
        others);
  }

  private List<AttemptRow> onGpus(String host, UnaryOperator<AttemptRow> as) {
    return on(host).stream()
        .filter(row -> row.takes().gpus() > 0)
        .map(as)
        .filter(row -> !waits(row))
        .toList();
  }

  private static List<AttemptRow> without(AttemptRow one, List<AttemptRow> rows) {
    return rows.stream().filter(row -> !row.key().equals(one.key())).toList();
  }

  /** A staged one waits on its host until there is room on a GPU. */
  private boolean waits(AttemptRow row) {
    List<String> on = row.devices();
    return StagedWorkload.isStaged(tables.jobs.get(row.job())) && (on == null || on.isEmpty());
  }

  private static boolean fit(List<AttemptRow> open, List<DeviceInfo> devices) {
    return fit(new ArrayList<>(open), devices, new HashMap<>());
  }

  private static boolean fit(
      List<AttemptRow> left, List<DeviceInfo> devices, Map<String, Long> taken) {
    if (left.isEmpty()) {
      return true;
    }
    AttemptRow next = left.getFirst();
    for (DeviceInfo device : devices) {
      boolean named = next.devices() != null && !next.devices().isEmpty();
      long has = taken.getOrDefault(device.id(), 0L);
      long takes = next.takes().gpuMemory() == null ? device.memory() : next.takes().gpuMemory();
      boolean empty = !taken.containsKey(device.id());
      boolean room = next.takes().gpuMemory() == null ? empty : has + takes <= device.memory();
      if (room && (!named || next.devices().contains(device.id()))) {
        Map<String, Long> with = new HashMap<>(taken);
        with.put(device.id(), has + takes);
        if (fit(left.subList(1, left.size()), devices, with)) {
          return true;
        }
      }
    }
    return false;
  }

  private void checkHostMemory(AttemptRow opened) {
    long has = tables.hosts.get(opened.host()).resources().memory();
    // What the workers of pools take is nobody's promise.
    List<AttemptRow> open =
        on(opened.host()).stream().filter(row -> !(row.takes() instanceof Takes.OnPool)).toList();
    List<Long> promises =
        open.stream().map(row -> row.takes().hostMemory()).filter(Objects::nonNull).toList();
    long promised = promises.stream().mapToLong(Long::longValue).sum();
    hold(
        promised <= has,
        "host %s is promised beyond its memory: %d of %d bytes",
        opened.host(),
        promised,
        has);
    hold(
        !promises.contains(has) || open.size() <= 1,
        "all memory of host %s is one job's, and there are %s",
        opened.host(),
        open);
  }
}
