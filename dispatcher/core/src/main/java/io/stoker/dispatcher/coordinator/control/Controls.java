package io.stoker.dispatcher.coordinator.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import java.util.List;
import java.util.Optional;

/** Has each control message carried out by those whose matter it is. */
public record Controls(
    RequestControl requests, GroupControl groups, HostControl hosts, PoolControl pools) {
  /** Several at once, of possible ids: all or none. */
  Uni<Void> cancel(List<ControlMessage.Cancel> cancels) {
    return requests.cancel(cancels);
  }

  /**
   * Carries one out.
   *
   * @param sentBy who asks, where a dispatcher vouches for that
   * @return what is wrong with it, if anything is
   */
  Uni<Optional<String>> apply(ControlMessage message, Optional<String> sentBy) {
    return switch (message) {
      case ControlMessage.Cancel cancel -> requests.cancel(cancel);
      case ControlMessage.Retry retry -> requests.retry(retry);
      case ControlMessage.Forget forget -> requests.forget(forget);
      case ControlMessage.Priority priority -> requests.prioritise(priority);
      case ControlMessage.Finish finish -> requests.finish(finish);
      case ControlMessage.Group group -> groups.apply(group);
      case ControlMessage.Cordon cordon -> hosts.cordon(cordon, sentBy);
      case ControlMessage.Drain drain -> hosts.drain(drain, sentBy);
      case ControlMessage.Uncordon uncordon -> hosts.uncordon(uncordon);
      case ControlMessage.RotateKey rotate -> hosts.rotateKey(rotate);
      case ControlMessage.RevokeKey revoke -> hosts.revokeKey(revoke);
      case ControlMessage.Policy policy -> hosts.policy(policy);
      case ControlMessage.Devices devices -> hosts.devices(devices);
      case ControlMessage.Pool pool -> pools.apply(pool);
    };
  }
}
