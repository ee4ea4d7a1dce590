package io.stoker.agent.kafka;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Meeting;
import io.stoker.agent.runner.RendezvousPorts;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/** Says at which address the members of a gang can meet whose rank 0 is placed here. */
public final class Rendezvous {
  private static final Logger LOG = Logger.getLogger(Rendezvous.class);

  private final String host;
  private final RendezvousPorts ports;

  /**
   * @param configured by which name or number other hosts reach this one
   */
  public Rendezvous(Optional<String> configured, RendezvousPorts ports) {
    this.host = configured.orElseGet(Rendezvous::machine);
    this.ports = ports;
  }

  private static String machine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      LOG.warnf("this machine has no name, so gangs meet within it only: %s", e.getMessage());
      return InetAddress.getLoopbackAddress().getHostAddress();
    }
  }

  /** The record, with an address put into each placement of a gang's rank 0. */
  PlacementsRecord offeredIn(PlacementsRecord record) {
    boolean any = record.messages().stream().anyMatch(Rendezvous::ofRank0);
    if (!any) {
      return record;
    }
    List<ToAgent> messages = record.messages().stream().map(this::offeredIn).toList();
    return record.with(messages);
  }

  private static boolean ofRank0(ToAgent message) {
    return message instanceof ToAgent.Place place
        && place.gang() != null
        && place.gang().rank() == 0;
  }

  private ToAgent offeredIn(ToAgent message) {
    return message instanceof ToAgent.Place place && ofRank0(place)
        ? place.in(place.gang().at(address(place).orElse(null)))
        : message;
  }

  /** Nothing if no port is free: then the placement goes back. */
  private Optional<String> address(ToAgent.Place place) {
    OptionalInt port = ports.give(AttemptKey.of(place));
    if (port.isEmpty()) {
      LOG.warn("no port of stoker.agent.gang-ports is free for a gang to meet at");
      return Optional.empty();
    }
    return Optional.of(host + ":" + port.getAsInt());
  }

  /** Goes on where an earlier agent was. */
  void resume(Map<AttemptKey, Meeting> meetings) {
    ports.keep(meetings);
  }

  /**
   * Gives back the ports of placements that were not taken, and of attempts that have ended.
   *
   * @param meetings those that go on, once all that was offered has been decided on
   */
  void settle(Supplier<Map<AttemptKey, Meeting>> meetings) {
    if (ports.any()) {
      ports.keep(meetings.get());
    }
  }
}
