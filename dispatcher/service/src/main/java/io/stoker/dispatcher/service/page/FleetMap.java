package io.stoker.dispatcher.service.page;

import io.stoker.dispatcher.memory.ExpectedEnd;
import io.stoker.dispatcher.service.rest.HostsResource.Fleet;
import io.stoker.dispatcher.service.rest.HostsResource.Ignored;
import java.util.List;
import java.util.Map;

/**
 * The hosts and what runs on each.
 *
 * @param more whether jobs run that are not shown
 */
public record FleetMap(List<HostCard> cards, List<Ignored> ignored, boolean more) {
  static FleetMap of(Fleet fleet, Jobs running, Map<String, ExpectedEnd> ends) {
    List<HostCard> cards =
        fleet.hosts().stream().map(host -> HostCard.of(host, running.all(), ends)).toList();
    return new FleetMap(cards, fleet.ignored(), running.more());
  }
}
