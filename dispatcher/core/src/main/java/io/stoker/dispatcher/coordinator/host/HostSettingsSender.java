package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.HostSettings;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import java.util.function.UnaryOperator;

/** Keeps what people tell hosts, and passes it on. */
public final class HostSettingsSender {
  private final Environment environment;
  private final HostTransactions transactions;
  private final HostReplies replies;

  public HostSettingsSender(
      Environment environment, HostTransactions transactions, HostReplies replies) {
    this.environment = environment;
    this.transactions = transactions;
    this.replies = replies;
  }

  /**
   * Changes what people told a host, and tells its agent; if it is away, at its next hello, and if
   * that fails for now, once an inventory shows that it has not heard of it.
   *
   * @return whether the host is known
   */
  public Uni<Boolean> tell(String host, UnaryOperator<HostSettings> change) {
    return transactions
        .update(host, row -> row.told(change))
        .chain(
            done ->
                done.isEmpty()
                    ? Uni.createFrom().item(false)
                    : replies
                        .settings(done.get().host())
                        .onFailure(error -> environment.fault(error) != Fault.DATA)
                        .recoverWithItem(
                            error -> {
                              environment.failed("telling a host its settings", error);
                              return null;
                            })
                        .replaceWith(true));
  }
}
