package io.stoker.dispatcher.coordinator.placement;

import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.RecentRejections;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.placement.FleetView;
import io.stoker.dispatcher.placement.QueueHead;
import io.stoker.dispatcher.placement.Snapshot.Host;
import java.util.List;

/** Tells which hosts take what now, by what this replica has heard of them beside their rows. */
public final class HostAvailability {
  private final HostDirectory directory;
  private final RecentRejections rejections;
  private final SuspectBook suspects;

  public HostAvailability(
      HostDirectory directory, RecentRejections rejections, SuspectBook suspects) {
    this.directory = directory;
    this.rejections = rejections;
    this.suspects = suspects;
  }

  /**
   * The hosts with what is free on them.
   *
   * @param now ms since 1970
   */
  public List<Host> hosts(List<HostRow> rows, List<AttemptRow> open, long now) {
    List<Host> all = FleetView.hosts(rows, open, directory::alive, directory::lastHeartbeat);
    return suspects.apply(all, rows, open, now);
  }

  /** The same jobs, each with the hosts that could not take it and have not changed since. */
  public List<QueueHead> heads(List<QueueHead> heads) {
    return FleetView.heads(heads, rejections::hosts);
  }
}
