package io.stoker.dispatcher.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.dispatcher.config.Wakes;
import io.stoker.dispatcher.lease.HostService;
import io.stoker.dispatcher.lease.HostSettings;
import io.stoker.dispatcher.lease.HostTransactions;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** What people ask for of hosts. Each answers what is wrong with the message, if anything is. */
@ApplicationScoped
public class HostControl {
  private final HostTransactions hosts;
  private final HostService service;
  private final Wakes wakes;

  HostControl(HostTransactions hosts, HostService service, Wakes wakes) {
    this.hosts = hosts;
    this.service = service;
    this.wakes = wakes;
  }

  Uni<Optional<String>> policy(ControlMessage.Policy policy) {
    return tell(
        policy.host(), settings -> settings.withPolicy(policy.policy(), policy.parameters()));
  }

  Uni<Optional<String>> devices(ControlMessage.Devices devices) {
    return tell(devices.host(), settings -> settings.withDevices(devices.devices()));
  }

  private Uni<Optional<String>> tell(String host, UnaryOperator<HostSettings> change) {
    return host == null
        ? missing()
        : service.tell(host, change).map(known -> known ? Optional.empty() : unknown(host));
  }

  Uni<Optional<String>> cordon(String host, boolean keepOff, String reason) {
    return host == null
        ? missing()
        : hosts
            .update(host, row -> row.cordon(keepOff, reason))
            .map(done -> done.isPresent() ? Optional.<String>empty() : unknown(host))
            .invoke(wakes::capacityChanged);
  }

  private static Optional<String> unknown(String host) {
    return Optional.of("host: " + host + " is not known");
  }

  private static Uni<Optional<String>> missing() {
    return Uni.createFrom().item(Optional.of("host: missing"));
  }
}
