package io.stoker.agent.lease;

import io.stoker.agent.key.AgentKey;
import io.stoker.agent.report.Outlet;
import io.stoker.common.json.Json;
import io.stoker.common.message.HostMessage;
import io.stoker.common.security.Macs;
import java.util.concurrent.CompletionStage;

/** Says what a host says of itself, signed with its key if it has one. */
public final class HostVoice {
  private final String host;
  private final AgentKey key;
  private final Outlet outlet;

  public HostVoice(String host, AgentKey key, Outlet outlet) {
    this.host = host;
    this.key = key;
    this.outlet = outlet;
  }

  /** Says it. Completes when the broker has it. */
  public CompletionStage<Void> say(HostMessage message) {
    Object said = key.signing().<Object>map(own -> Macs.signed(own, message)).orElse(message);
    return outlet.send(host, Json.bytes(said));
  }
}
