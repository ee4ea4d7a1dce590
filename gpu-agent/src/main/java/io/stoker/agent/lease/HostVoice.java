package io.stoker.agent.lease;

import io.stoker.agent.report.Outlet;
import io.stoker.common.json.Json;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.security.Macs;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Says what a host says of itself, signed with its key if it has one. */
public final class HostVoice {
  private final String host;
  private final Optional<byte[]> key;
  private final Outlet outlet;

  public HostVoice(String host, Optional<byte[]> key, Outlet outlet) {
    this.host = host;
    this.key = key;
    this.outlet = outlet;
  }

  /**
   * Says it.
   *
   * @return completes when the broker has it
   */
  public CompletionStage<Void> say(HostMessage message) {
    HostMessage signed = key.map(k -> signed(message, Macs.sign(k, message))).orElse(message);
    return outlet.send(host, Json.bytes(signed));
  }

  private static HostMessage signed(HostMessage message, String mac) {
    return switch (message) {
      case Hello m ->
          new Hello(
              m.host(),
              m.nonce(),
              m.journal(),
              m.fleet(),
              m.version(),
              m.bootId(),
              m.resources(),
              m.held(),
              m.seat(),
              m.machine(),
              m.answer(),
              mac);
      case Heartbeat m ->
          new Heartbeat(
              m.host(),
              m.epoch(),
              m.n(),
              m.at(),
              m.clock(),
              m.held(),
              m.reserved(),
              m.telemetry(),
              m.pools(),
              m.runners(),
              m.memoryFree(),
              mac);
      case Inventory m ->
          new Inventory(
              m.host(), m.epoch(), m.n(), m.resources(), m.held(), m.poolsGeneration(), mac);
      case Goodbye m -> new Goodbye(m.host(), m.epoch(), mac);
    };
  }
}
