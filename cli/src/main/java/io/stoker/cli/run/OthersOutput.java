package io.stoker.cli.run;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.Requests;
import io.stoker.common.message.RequestStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The output of a job that another request started, and that answers this one. It may have begun,
 * or ended, long before anybody followed: a dispatcher has it from its beginning.
 */
public final class OthersOutput {
  /** The dispatcher's answer ends with the job; a request may end before its job does. */
  private static final Duration AFTER_END = Duration.ofSeconds(10);

  private final Requests requests;
  private final Consumer<String> teller;
  private Optional<CompletableFuture<Void>> reading = Optional.empty();

  /**
   * @param teller gets a line for people
   */
  public OthersOutput(Requests requests, Consumer<String> teller) {
    this.requests = requests;
    this.teller = teller;
  }

  /** Begins to write it once the status says that there is such a job. */
  void look(RequestStatus status, JobOutput output) {
    if (reading.isPresent() || status.answeredBy() == null) {
      return;
    }
    String whose = status.answeredBy().request();
    teller.accept(
        status.cached()
            ? "%s is answered by the work of %s, which has ended; this is its output"
                .formatted(status.id(), whose)
            : "%s shares the work of %s; this is its output".formatted(status.id(), whose));
    reading =
        Optional.of(
            CompletableFuture.runAsync(
                () -> requests.logs(status.id(), true, Optional.empty(), output::write),
                Thread::startVirtualThread));
  }

  /** Whether there is such a job. */
  boolean isThere() {
    return reading.isPresent();
  }

  /** Returns once all of it is written, and says the result beside it. */
  void await(RequestStatus end) {
    try {
      reading.orElseThrow().get(AFTER_END.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      teller.accept("its job goes on, or its output has no end: stoker logs -f " + end.id());
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof CliException known)) {
        throw new IllegalStateException("reading the output of " + end.id(), e.getCause());
      }
      teller.accept("its output cannot be read: " + known.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (end.result() != null) {
      teller.accept("its result: " + end.result());
    }
  }
}
