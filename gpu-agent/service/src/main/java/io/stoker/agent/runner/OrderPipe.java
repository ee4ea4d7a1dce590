package io.stoker.agent.runner;

import io.stoker.agent.spawn.Order;
import io.stoker.common.life.Vital;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import org.jboss.logging.Logger;

/**
 * Writes orders to one spawner, on a thread of its own. Whoever asks for a run, or reads what the
 * spawner answers, waits for no spawner that does not read: one that has more to answer than its
 * pipe holds reads nothing more until somebody reads that.
 */
final class OrderPipe implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(OrderPipe.class);

  private final DataOutputStream to;

  /** What is to be written, in order; empty at the end. */
  private final LinkedBlockingQueue<Optional<Order>> waiting = new LinkedBlockingQueue<>();

  private OrderPipe(OutputStream to) {
    this.to = new DataOutputStream(new BufferedOutputStream(to));
  }

  /** Begins to write to a spawner's stdin. */
  static OrderPipe to(OutputStream stdin) {
    OrderPipe pipe = new OrderPipe(stdin);
    Vital.thread("launcher-orders", pipe::work).start();
    return pipe;
  }

  /** Has an order written, behind those before it; of a spawner that is gone that is all. */
  void write(Order order) {
    waiting.add(Optional.of(order));
  }

  private void work() {
    try (to) {
      for (Optional<Order> next = waiting.take(); next.isPresent(); next = waiting.take()) {
        next.get().write(to);
        to.flush();
      }
    } catch (IOException e) {
      LOG.debug("the spawner has just died; the next is asked again", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Has the spawner told, behind the last order, that nothing more comes. */
  @Override
  public void close() {
    waiting.add(Optional.empty());
  }
}
