package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.lease.AgentRecords;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.Ledger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Tells agents, as the dispatcher's AgentTeller and AgentMessages. */
final class AgentTelling {
  private static final AgentRecords RECORDS = new AgentRecords(Settings.SENDS);

  private final SimDatabase database;
  private final SimLog log;
  private final Wire wire;
  private final HostDirectory hosts;
  private final World world;

  AgentTelling(World world, SimDatabase database, SimLog log, Wire wire, HostDirectory hosts) {
    this.world = world;
    this.database = database;
    this.log = log;
    this.wire = wire;
    this.hosts = hosts;
  }

  Uni<Void> send(String host, long epoch, List<ToAgent> messages) {
    List<Uni<Void>> sends =
        RECORDS.of(host, epoch, messages).stream()
            .map(written -> log.send(wire, "placements." + host, host, written.record()))
            .toList();
    return Uni.join().all(sends).andFailFast().replaceWithVoid();
  }

  /** What a transaction had to tell; nobody waits for it. */
  void tell(Ledger ledger) {
    Map<String, List<ToAgent>> byHost = new LinkedHashMap<>();
    for (Ledger.Told told : ledger.told()) {
      byHost.computeIfAbsent(told.host(), host -> new ArrayList<>()).add(told.message());
    }
    tell(byHost).subscribe().with(done -> {}, world::broken);
  }

  Uni<Void> tell(Map<String, List<ToAgent>> byHost) {
    if (byHost.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return epochs(byHost).chain(epochs -> tell(byHost, epochs));
  }

  Uni<Void> tell(Map<String, List<ToAgent>> byHost, Map<String, Long> epochs) {
    List<Uni<Void>> sends = new ArrayList<>();
    byHost.forEach(
        (host, messages) -> {
          if (epochs.containsKey(host)) {
            sends.add(send(host, epochs.get(host), messages));
          }
        });
    return sends.isEmpty()
        ? Uni.createFrom().voidItem()
        : Uni.join().all(sends).andFailFast().replaceWithVoid();
  }

  private Uni<Map<String, Long>> epochs(Map<String, List<ToAgent>> byHost) {
    Map<String, Long> known = new LinkedHashMap<>();
    for (String host : byHost.keySet()) {
      hosts.epoch(host).ifPresent(epoch -> known.put(host, epoch));
    }
    if (known.size() == byHost.size()) {
      return Uni.createFrom().item(known);
    }
    return database
        .transaction(wire.life(), SimTransaction::allHosts)
        .map(
            rows -> {
              for (HostRow row : rows) {
                known.put(row.id(), row.epoch());
              }
              return known;
            });
  }
}
