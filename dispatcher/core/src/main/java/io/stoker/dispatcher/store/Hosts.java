package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.HostEvent;
import io.stoker.dispatcher.model.HostKey;
import io.stoker.dispatcher.model.HostRow;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The table of hosts. */
public interface Hosts {
  /** All that are listed, by id, without locks; see {@link OldRows#unlistHosts}. */
  Uni<List<HostRow>> all();

  /**
   * By listed host, what differs after each change of its row. Whoever keeps rows reads this before
   * them, so that what it has of a row is never newer than the row.
   */
  Uni<Map<String, String>> versions();

  /** What is known of hosts' keys, by host; of hosts of which nothing is, nothing. */
  Uni<Map<String, HostKey>> keys();

  /** Locks those of these hosts that are known, whether they are listed or not. */
  Uni<List<HostRow>> lock(Collection<String> hosts);

  /**
   * Inserts a host, or takes over the row as it now is; the caller holds its lock. It is listed
   * then.
   *
   * @param events what became of it, of which the newest are kept
   * @param at when, ms since 1970
   */
  Uni<Void> put(HostRow row, boolean isNew, List<HostEvent> events, long at);
}
