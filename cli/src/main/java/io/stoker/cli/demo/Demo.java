package io.stoker.cli.demo;

import io.stoker.cli.kafka.RecordWriter;
import io.stoker.cli.local.StackInfo;
import io.stoker.cli.status.StatusTail;
import io.stoker.common.topic.Topics;
import java.time.Duration;
import java.util.List;

/**
 * Posts the graph to a stack and follows it to its end.
 *
 * @param limit how long all of it may take
 */
record Demo(DemoShow show, Duration limit) {
  private static final Duration POLL = Duration.ofMillis(500);

  /** One partition for all of it: requests arrive in the order in which they were posted. */
  private static final String KEY = "demo";

  /** Runs the steps. Returns what came out otherwise than expected, a line each. */
  List<String> run(StackInfo stack, List<DemoStep> steps) throws InterruptedException {
    Topics topics = new Topics(Topics.DEFAULT_PREFIX);
    DemoState state = new DemoState(steps);
    long start = System.nanoTime();
    try (StatusTail tail = StatusTail.open(stack.kafka(), topics);
        RecordWriter writer = new RecordWriter(stack.kafka(), topics.requests(), 0)) {
      while (!state.isOver() && System.nanoTime() - start < limit.toNanos()) {
        state.takeDue().forEach(step -> writer.send(KEY, step.body()));
        show.step(state);
        tail.poll(POLL).forEach(state::apply);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }
    show.end(state);
    return state.surprises();
  }
}
