package io.stoker.agent.ssh;

import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.ssh.LinkException.Kind;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** Follows one run on its node, on a thread of its own, as {@link RemoteRun} decides. */
final class NodeRun implements Runnable {
  private static final Logger LOG = Logger.getLogger(NodeRun.class);

  /** What nodes are reached by. */
  record Ways(Nodes nodes, Links links, FollowRules rules, NodeBook book) {}

  /** Told what happens, on the run's thread. */
  interface Listener {
    void began();

    void notBegun(Cause cause, String why);

    void ended(OptionalInt exitCode, Optional<String> note, boolean launch);
  }

  /** What the run is to be; asked when it is to be started. */
  interface Start {
    Order order() throws IOException, NotHad;

    /** Why nothing may be started at this moment, if so. */
    Optional<String> refusal() throws IOException;
  }

  /**
   * A run, and where it is.
   *
   * @param name of the run
   * @param mark that its processes carry
   */
  record Subject(String name, String mark, RunRecords.RunRecord at, OutputSync sync) {}

  private final Subject subject;
  private final Ways ways;
  private final Start start;
  private final Listener listener;
  private final BlockingQueue<RunEvent.Kill> kills = new LinkedBlockingQueue<>();
  private Optional<NodeSession> session = Optional.empty();
  private Optional<Order> order = Optional.empty();
  private volatile boolean closed;
  private volatile RunEvent first = new RunEvent.Begin();
  private volatile Thread thread;

  NodeRun(Subject subject, Ways ways, Start start, Listener listener) {
    this.subject = subject;
    this.ways = ways;
    this.start = start;
    this.listener = listener;
  }

  void begin() {
    go(new RunEvent.Begin());
  }

  /** Takes it over from an earlier agent. */
  void resume(boolean begun) {
    go(new RunEvent.Resume(begun));
  }

  private void go(RunEvent with) {
    first = with;
    thread = Thread.ofVirtual().name("run " + subject.name()).start(this);
  }

  /** From any thread. */
  void kill(long graceMs) {
    kills.add(new RunEvent.Kill(graceMs));
  }

  /** Follows no more; the run goes on. */
  void close() {
    closed = true;
    thread.interrupt();
  }

  @Override
  public void run() {
    RemoteRun state = RemoteRun.fresh(ways.rules(), now());
    Optional<RunEvent> event = Optional.of(first);
    try {
      while (event.isPresent() && !closed) {
        RemoteRun.Turn turn = state.on(event.get(), now());
        state = turn.run();
        event = Optional.empty();
        for (RunStep step : turn.steps()) {
          event = perform(step);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the agent stops
    } catch (RuntimeException e) {
      LOG.errorf(e, "run %s is followed no more until the agent restarts", subject.name());
    }
  }

  private static long now() {
    return System.nanoTime() / 1_000_000;
  }

  /** Empty if nothing follows from it. */
  private Optional<RunEvent> perform(RunStep step) throws InterruptedException {
    return switch (step) {
      case RunStep.Note note -> {
        LOG.warnf("run %s: %s", subject.name(), note.text());
        yield Optional.empty();
      }
      case RunStep.Began began -> {
        listener.began();
        yield Optional.empty();
      }
      case RunStep.NotBegun not -> {
        listener.notBegun(not.cause(), not.why());
        yield Optional.empty();
      }
      case RunStep.Ended end -> {
        listener.ended(end.exitCode(), Optional.ofNullable(end.note()), end.launch());
        yield Optional.empty();
      }
      case RunStep.Wait wait -> {
        RunEvent.Kill kill = kills.poll(wait.ms(), TimeUnit.MILLISECONDS);
        yield Optional.of(kill == null ? new RunEvent.Waited() : kill);
      }
      case RunStep.Start starting -> unlessKilled(this::startIt);
      case RunStep.Look looking -> unlessKilled(() -> new RunEvent.Told(session().look()));
      case RunStep.Stop stop ->
          Optional.of(asking(() -> new RunEvent.Told(session().stop(stop.graceMs()))));
      case RunStep.Sweep sweep -> Optional.of(asking(() -> new RunEvent.Told(session().sweep())));
    };
  }

  private interface Question {
    RunEvent ask() throws LinkException, IOException, NotHad;
  }

  /** The node, or what it is to be given, cannot be had now; the event says how. */
  static final class NotHad extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient RunEvent event;

    NotHad(RunEvent event) {
      this.event = event;
    }

    NotHad(Cause cause, String why) {
      this(new RunEvent.Refused(cause, why));
    }
  }

  private Optional<RunEvent> unlessKilled(Question question) {
    RunEvent.Kill kill = kills.poll();
    return Optional.of(kill != null ? kill : asking(question));
  }

  private RunEvent asking(Question question) {
    try {
      RunEvent answer = question.ask();
      ways.book().reached(subject.at().node(), true);
      return answer;
    } catch (NotHad e) {
      return e.event;
    } catch (LinkException e) {
      session = Optional.empty();
      ways.book().reached(subject.at().node(), false);
      return new RunEvent.Failed(e.kind(), e.getMessage());
    } catch (IOException | RuntimeException e) {
      session = Optional.empty();
      return new RunEvent.Failed(Kind.BROKEN, "run " + subject.name() + ": " + e);
    }
  }

  private RunEvent startIt() throws LinkException, IOException, NotHad {
    NodeSession ready = session(ways.nodes().prepare(subject.at().node()));
    try {
      if (order.isEmpty()) {
        order = Optional.of(start.order());
      }
      ready.prepare(order.get());
    } catch (IOException e) {
      throw new NotHad(Cause.REFUSED, "what its node is to be given cannot be prepared: " + e);
    }
    Optional<String> refusal = start.refusal();
    return refusal.isPresent()
        ? new RunEvent.Refused(Cause.REFUSED, refusal.get())
        : new RunEvent.Told(ready.start());
  }

  private NodeSession session() throws NotHad {
    return session.isPresent() ? session.get() : session(ways.nodes().find(subject.at().node()));
  }

  private NodeSession session(Nodes.Readiness readiness) throws NotHad {
    switch (readiness) {
      case Nodes.Ready(Node node) -> {
        String folder = subject.at().folder();
        session =
            Optional.of(
                new NodeSession(
                    ways.links().to(node),
                    folder,
                    new NodeScripts(folder, subject.mark()),
                    subject.sync()));
        return session.get();
      }
      case Nodes.Later(long waitMs) -> throw new NotHad(new RunEvent.NotYet(waitMs));
      case Nodes.Never(String why, boolean gone) ->
          throw new NotHad(new RunEvent.NoNode(why, gone));
    }
  }
}
