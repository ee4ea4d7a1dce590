package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.dispatcher.coordinator.placement.SuspectBook;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.Settling;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Holder;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.placement.FleetView;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.Suspicion;
import io.stoker.dispatcher.service.postgres.FleetTable;
import io.stoker.dispatcher.status.Moments;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * A host: what the database knows of it, and what this dispatcher has heard of it.
 *
 * @param resources what it has to give
 * @param telemetry its devices as last measured
 * @param unsettled what it is waited for before anything is placed anywhere, since the database was
 *     restored; absent if nothing
 * @param rival another agent that asks for this host's name and was refused a moment ago; absent if
 *     there is none
 * @param key which of its keys are taken; absent until they were rotated
 */
public record HostView(
    String host,
    String fleet,
    @JsonUnwrapped Condition condition,
    @JsonUnwrapped Agent agent,
    HostResources resources,
    @JsonUnwrapped Room room,
    List<DeviceTelemetry> telemetry,
    String unsettled,
    Rival rival,
    Key key) {
  /**
   * A rival asks again each few seconds; of one that was silent for so long, in ms, nothing is
   * shown.
   */
  private static final long RIVAL_SHOWN = 90_000;

  /**
   * Whether it is given placements.
   *
   * @param state UP, LOST, GONE; UNREACHABLE: nothing is heard of it, and its jobs run on; or HELD:
   *     messages in its name are refused for their key, and what it runs is not placed again
   * @param alive whether it was heard of within its lease
   * @param usable whether it is given placements
   * @param suspect whether it is held, or on trial, since jobs could not be started on it or it was
   *     lost again and again
   * @param drain how it is being emptied; absent if it is not
   * @param reason why it is cordoned, lost, suspect or not usable, if it is
   */
  public record Condition(
      String state,
      boolean alive,
      boolean usable,
      boolean cordoned,
      boolean suspect,
      Drained drain,
      String reason) {}

  /**
   * Who acts for it.
   *
   * @param epoch granted to the agent's last start
   * @param heartbeatAgeMs since it was last heard of; absent if never since this dispatcher started
   */
  public record Agent(long epoch, String version, Long heartbeatAgeMs) {}

  /**
   * What can be had, and what is taken.
   *
   * @param freeGpus GPUs that nothing takes
   * @param freeCpuSlots CPU slots likewise
   * @param memoryPromised bytes of its memory that they were promised, of {@code resources.memory}
   * @param memoryFree bytes of its memory that can be had, as last measured; absent if it was not
   * @param openAttempts attempts placed on it and not over
   * @param leftBehind attempts of an earlier agent that the one of now does not hold, among the
   *     open ones; absent if there are none
   * @param reserved for whom it is kept free; absent if for nobody
   */
  public record Room(
      int freeGpus,
      int freeCpuSlots,
      long memoryPromised,
      Long memoryFree,
      int openAttempts,
      Integer leftBehind,
      List<Reserved> reserved) {}

  /**
   * Another agent of the same name.
   *
   * @param journal id of its journal
   * @param machine its machine's name; absent if it does not tell
   * @param at when it was refused, ISO 8601
   * @param reason that it was told
   */
  public record Rival(String journal, String machine, String at, String reason) {
    static Rival of(HostRow row, long now) {
      Holder.Rival known = row.holder().rival();
      if (known == null || now - known.at() > RIVAL_SHOWN) {
        return null;
      }
      String at = Moments.text(known.at());
      return new Rival(known.journal(), known.machine(), at, known.reason());
    }
  }

  /**
   * A job in line for which what it takes is kept free.
   *
   * @param id of the request that started it
   * @param gpus that it takes on this host
   * @param cpuSlots likewise
   * @param since ISO 8601
   */
  @Schema(name = "ReservedRoom")
  public record Reserved(
      String id, String job, String queue, int gpus, int cpuSlots, String since) {
    static List<Reserved> of(List<FleetTable.Reserved> all, String host) {
      List<Reserved> here =
          all.stream().filter(one -> one.host().equals(host)).map(Reserved::of).toList();
      return here.isEmpty() ? null : here;
    }

    private static Reserved of(FleetTable.Reserved one) {
      return new Reserved(
          one.request(),
          one.job(),
          one.queue(),
          one.shape().gpus(),
          one.shape().cpus(),
          Moments.text(one.since()));
    }
  }

  /**
   * Keys of a host.
   *
   * @param generation of the newest one
   * @param oldest generation that is taken
   */
  public record Key(int generation, int oldest) {
    static Key of(HostRow row, long now) {
      int newest = row.key().generation();
      return newest == 0 ? null : new Key(newest, row.key().oldest(now));
    }
  }

  /**
   * A host that is being emptied.
   *
   * @param empty whether nothing is on it any more
   * @param deadline after which what still runs is moved, ISO 8601; absent if it may end
   */
  public record Drained(boolean empty, String deadline) {
    static Drained of(HostRow row, int openAttempts) {
      if (row.drain() == null) {
        return null;
      }
      Long deadline = row.drain().deadline();
      return new Drained(openAttempts == 0, Moments.text(deadline));
    }
  }

  static List<HostView> of(
      List<HostRow> rows,
      List<AttemptRow> open,
      List<FleetTable.Reserved> reserved,
      HostDirectory directory,
      SuspectBook suspects,
      long now) {
    Map<String, Suspicion> suspicions = suspects.suspicions(rows, now);
    List<Snapshot.Host> all = FleetView.all(rows, open, directory::alive, directory::lastHeartbeat);
    List<Snapshot.Host> fleet = suspects.apply(all, rows, open, now);
    List<HostView> views = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      Suspicion suspicion = suspicions.get(rows.get(i).id());
      views.add(of(rows.get(i), fleet.get(i), open, reserved, directory, suspicion, now));
    }
    return views;
  }

  private static HostView of(
      HostRow row,
      Snapshot.Host free,
      List<AttemptRow> open,
      List<FleetTable.Reserved> reserved,
      HostDirectory directory,
      Suspicion suspicion,
      long now) {
    Optional<Heartbeat> heartbeat = directory.lastHeartbeat(row.id());
    int openAttempts =
        (int) open.stream().filter(attempt -> attempt.host().equals(row.id())).count();
    return new HostView(
        row.id(),
        row.fleet(),
        new Condition(
            state(row, directory),
            directory.alive(row.id()),
            free.usable(),
            row.cordoned(),
            suspicion != null,
            Drained.of(row, openAttempts),
            reason(row, free, directory, suspicion)),
        new Agent(row.epoch(), row.grant().version(), directory.silentMs(row.id()).orElse(null)),
        row.resources(),
        new Room(
            free.freeGpus(),
            Math.max(0, free.freeSlots()),
            free.memory().promised(),
            heartbeat.map(Heartbeat::memoryFree).orElse(null),
            openAttempts,
            leftBehind(row, open),
            Reserved.of(reserved, row.id())),
        heartbeat.map(Heartbeat::telemetry).orElse(List.of()),
        row.unsettled() ? Settling.what(row) : null,
        Rival.of(row, now),
        Key.of(row, now));
  }

  private static Integer leftBehind(HostRow row, List<AttemptRow> open) {
    int left = (int) open.stream().filter(row::left).count();
    return left == 0 ? null : left;
  }

  private static String state(HostRow row, HostDirectory directory) {
    if (isHeld(row, directory)) {
      return "HELD";
    }
    boolean unreachable =
        row.state() == HostRow.State.UP && row.outageMs() > 0 && !directory.alive(row.id());
    return unreachable ? "UNREACHABLE" : row.state().name();
  }

  /** The row says so until the next sweep, also of a host that is heard under a valid key again. */
  private static boolean isHeld(HostRow row, HostDirectory directory) {
    boolean noted = row.key().held() != null;
    boolean refused = row.state() == HostRow.State.UP && directory.held(row.id());
    return (noted || refused) && !directory.alive(row.id());
  }

  private static String reason(
      HostRow row, Snapshot.Host free, HostDirectory directory, Suspicion suspicion) {
    if (row.key().held() != null && isHeld(row, directory)) {
      return row.key().held();
    }
    if (row.reason() != null) {
      return row.reason();
    }
    return free.why() == null && suspicion != null ? suspicion.sentence() : free.why();
  }
}
