package io.stoker.agent.link;

import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Finds an address at which the members of a gang can meet here. The port is free when it is looked
 * for, and is the kernel's choice, so that gangs on one machine do not meet each other's.
 */
final class Rendezvous {
  private static final Logger LOG = Logger.getLogger(Rendezvous.class);

  private final String host;

  /**
   * @param configured by which name or number other hosts reach this one
   */
  Rendezvous(Optional<String> configured) {
    host = configured.orElseGet(Rendezvous::machine);
  }

  private static String machine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      LOG.warnf("this machine has no name, so gangs meet within it only: %s", e.getMessage());
      return InetAddress.getLoopbackAddress().getHostAddress();
    }
  }

  /** The record, with an address put into each member of a gang. */
  PlacementsRecord offeredIn(PlacementsRecord record) {
    boolean any = record.messages().stream().anyMatch(Rendezvous::ofGang);
    if (!any) {
      return record;
    }
    List<ToAgent> messages = record.messages().stream().map(this::offeredIn).toList();
    return new PlacementsRecord(record.v(), record.host(), record.epoch(), messages);
  }

  private static boolean ofGang(ToAgent message) {
    return message instanceof ToAgent.Place place && place.gang() != null;
  }

  private ToAgent offeredIn(ToAgent message) {
    return message instanceof ToAgent.Place place && place.gang() != null
        ? place.in(place.gang().at(address().orElse(null)))
        : message;
  }

  /** Nothing if no port is free: then the placement goes back. */
  private Optional<String> address() {
    try (ServerSocket probe = new ServerSocket(0)) {
      return Optional.of(host + ":" + probe.getLocalPort());
    } catch (IOException e) {
      LOG.warnf(new UncheckedIOException(e), "no port is free for a gang to meet at");
      return Optional.empty();
    }
  }
}
