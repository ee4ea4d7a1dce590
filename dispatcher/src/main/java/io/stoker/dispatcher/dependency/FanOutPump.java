package io.stoker.dispatcher.dependency;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.config.Wakes;
import io.stoker.dispatcher.config.Wakes.FanOutWanted;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.runtime.Pump;
import io.stoker.dispatcher.status.StatusPublisher;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Optional;

/** Works through fan-outs, chunk by chunk, whenever there are some. */
@ApplicationScoped
public class FanOutPump {
  private final FanOutTransaction transaction;
  private final StatusPublisher statuses;
  private final Wakes wakes;
  private final Pump pump = new Pump("fan-out", this::next);

  FanOutPump(FanOutTransaction transaction, StatusPublisher statuses, Wakes wakes) {
    this.transaction = transaction;
    this.statuses = statuses;
    this.wakes = wakes;
  }

  void wake(@Observes FanOutWanted hint) {
    pump.wake();
  }

  public void stop() {
    pump.stop();
  }

  private Uni<Boolean> next() {
    return transaction.next().map(this::follow);
  }

  private boolean follow(Optional<Ledger> worked) {
    worked.ifPresent(
        ledger -> {
          wakes.afterEnds(ledger);
          if (!ledger.due().isEmpty()) {
            statuses.wake();
          }
        });
    return worked.isPresent();
  }
}
