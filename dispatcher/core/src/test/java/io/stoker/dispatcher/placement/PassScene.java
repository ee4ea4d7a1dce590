package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Hosts and jobs in line, over which a pass decides. */
abstract class PassScene {
  final List<AHost> hosts = new ArrayList<>();
  final List<QueueHead> heads = new ArrayList<>();

  void fleet(AHost... more) {
    hosts.addAll(Arrays.asList(more));
  }

  void line(String job, ARequest request) {
    heads.add(head(job, heads.size() + 1, request, List.of(), Set.of()));
  }

  static QueueHead head(
      String job, long seq, ARequest request, List<String> avoid, Set<String> returnedBy) {
    var built = request.build();
    return QueueHeads.head(
        job, built.queue(), Shape.of(built.resources()), built.priority(), seq, avoid, returnedBy);
  }

  Decision decide() {
    return PlacementPass.decide(snapshot(), 60_000);
  }

  Snapshot snapshot() {
    Map<String, AHost> byId = new HashMap<>();
    hosts.forEach(host -> byId.put(host.row().id(), host));
    Map<Shape, Set<String>> none = Map.of();
    return FleetView.of(
        hosts.stream().map(AHost::row).toList(),
        List.of(),
        heads,
        host -> true,
        host -> Optional.of(byId.get(host).heartbeat()),
        shape -> none.getOrDefault(shape, Set.of()));
  }

  Map<String, String> placed() {
    Map<String, String> placed = new HashMap<>();
    decide().assignments().forEach(one -> placed.put(one.job(), one.host()));
    return placed;
  }
}
