package io.stoker.agent.ssh;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.runner.Runner;
import io.stoker.agent.runner.RunnerContext;
import io.stoker.agent.ssh.NodeCleaner.Left;
import io.stoker.agent.ssh.RunRecords.RunRecord;
import io.stoker.common.message.NodeMachine;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/** Runs jobs on other machines, by SSH. */
public final class RemoteRunner implements Runner {
  private static final Logger LOG = Logger.getLogger(RemoteRunner.class);

  private final String type;
  private final RunnerContext context;
  private final RemoteSettings settings;
  private final NodeRun.Ways ways;
  private final RunRecords records;
  private final NodeCleaner cleaner;
  private final Map<AttemptKey, NodeRun> runs = new ConcurrentHashMap<>();

  /** Runs of an earlier agent that were not known when this one began. */
  private final Set<AttemptKey> unended = ConcurrentHashMap.newKeySet();

  /** Ends of runs that were asked for and that nobody follows yet: the grace of each, ms. */
  private final Map<AttemptKey, Long> kills = new ConcurrentHashMap<>();

  /** Those that wait for a record to become readable. */
  private final Set<Thread> readings = ConcurrentHashMap.newKeySet();

  /** Runs that never began: of these there is little to be removed. */
  private final Set<AttemptKey> unbegun = ConcurrentHashMap.newKeySet();

  /**
   * @param type what it runs, as {@code resources.type} names it
   * @throws IOException if its records cannot be kept
   */
  public RemoteRunner(String type, RunnerContext context, RemoteSettings settings, Nodes nodes)
      throws IOException {
    this.type = type;
    this.context = context;
    this.settings = settings;
    this.records = new RunRecords(context.data().resolve(type));
    Random random =
        settings.seed().isPresent() ? new Random(settings.seed().getAsLong()) : new Random();
    this.ways =
        new NodeRun.Ways(
            nodes,
            new MinaLinks(settings.link()),
            settings.rules(),
            new NodeBook(nodes.offers(), settings.perNode(), random));
    this.cleaner = new NodeCleaner(ways, records);
  }

  @Override
  public String type() {
    return type;
  }

  @Override
  public int slots() {
    return ways.book().slots();
  }

  @Override
  public List<NodeMachine> machines() {
    return ways.book().machines();
  }

  @Override
  public void start(Place place, Allocation allocation) {
    AttemptKey key = AttemptKey.of(place);
    String run = key.toString();
    NodeGpus.Wanted wanted = NodeGpus.Wanted.of(place);
    // Of an earlier start of the same attempt, which never began: another may be its node now.
    Optional<String> before = ways.book().remove(run);
    Optional<NodeBook.Given> given = ways.book().choose(run, place.job(), wanted);
    before
        .filter(node -> given.filter(now -> now.node().equals(node)).isEmpty())
        .ifPresent(node -> ways.nodes().unused(node, run));
    if (given.isEmpty()) {
      String why =
          "no machine for type %s has room for it with %s now".formatted(type, wanted.text());
      context.inputs().accept(new Input.NotStarted(key, Cause.REFUSED, why));
      return;
    }
    String node = given.get().node();
    ways.nodes().used(node, run);
    // Of its own: what an earlier start of the same attempt left must not answer for this one.
    String folder =
        "%s/runs/%s/%s.%s"
            .formatted(
                settings.nodeFolder(),
                context.owner(),
                run,
                UUID.randomUUID().toString().substring(0, 8));
    follow(place, allocation, new RunRecord(node, folder, given.get().gpus())).begin();
  }

  private NodeRun follow(Place place, Allocation allocation, RunRecord at) {
    AttemptKey key = AttemptKey.of(place);
    OutputSync sync = new OutputSync(context.stdout(key), context.stderr(key), context.result(key));
    NodeRun run =
        new NodeRun(
            new NodeRun.Subject(key.toString(), mark(key.toString(), at), at, sync),
            ways,
            new Starting(place, allocation, at),
            new Telling(key, at.node()));
    runs.put(key, run);
    unbegun.remove(key);
    context.outputs().follow(place);
    return run;
  }

  @Override
  public void adopt(Place place, Optional<RunProcess> known) {
    whenRead(AttemptKey.of(place).toString(), at -> adopt(place, known, at));
  }

  private void adopt(Place place, Optional<RunProcess> known, Optional<RunRecord> at) {
    AttemptKey key = AttemptKey.of(place);
    if (at.isPresent()) {
      ways.book().put(key.toString(), at.get().node(), at.get().gpus());
      NodeRun run =
          follow(
              place,
              new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 0),
              at.get());
      run.resume(known.isPresent());
      killed(key);
    } else if (known.isPresent()) {
      context.inputs().accept(new Input.Exited(key, RunEnd.unseen()));
    } else {
      context.inputs().accept(new Input.NotStarted(key, Cause.UNCLAIMED, "it was not begun"));
    }
  }

  /**
   * Goes on once it is known where a run of an earlier agent is. While its record cannot be read
   * the run may go on there: it is neither over nor to be started again.
   */
  private void whenRead(String run, Consumer<Optional<RunRecord>> then) {
    Optional<RunRecord> at;
    try {
      at = records.read(run);
    } catch (IOException e) {
      LOG.errorf(
          "where run %s is cannot be read, trying again; delete its record if nothing of it runs"
              + " on any node: %s",
          run, e.getMessage());
      readings.add(Thread.ofVirtual().name("read " + run).start(() -> whenReadable(run, then)));
      return;
    }
    then.accept(at);
  }

  private void whenReadable(String run, Consumer<Optional<RunRecord>> then) {
    try {
      while (true) {
        Thread.sleep(ways.rules().followEvery());
        try {
          Optional<RunRecord> at = records.read(run);
          then.accept(at);
          return;
        } catch (IOException e) {
          LOG.debugf(e, "where run %s is cannot be read yet", run);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the next agent goes on
    } finally {
      readings.remove(Thread.currentThread());
    }
  }

  @Override
  public void kill(AttemptKey key, long graceMs) {
    kills.put(key, graceMs);
    killed(key);
  }

  /** It may be asked for before it is known where the run is. */
  private void killed(AttemptKey key) {
    NodeRun run = runs.get(key);
    Long graceMs = run == null ? null : kills.remove(key);
    if (graceMs != null) {
      run.kill(graceMs);
    }
  }

  @Override
  public void remove(AttemptKey key) {
    runs.remove(key);
    kills.remove(key);
    clean(key.toString(), unbegun.remove(key) ? Left.LITTLE : Left.FOLDER);
  }

  private void clean(String run, Left left) {
    whenRead(
        run,
        at ->
            at.ifPresentOrElse(
                record -> cleaner.clean(run, record, mark(run, record), left),
                () -> ways.book().remove(run).ifPresent(node -> ways.nodes().unused(node, run))));
  }

  @Override
  public void clear(Set<AttemptKey> known) {
    Set<String> names = known.stream().map(AttemptKey::toString).collect(Collectors.toSet());
    try {
      List<String> all = records.names();
      AtomicInteger unread = new AtomicInteger(all.size() + 1);
      all.forEach(run -> clear(run, names.contains(run), unread));
      named(unread);
    } catch (IOException e) {
      LOG.error("what an earlier agent left on nodes cannot be found", e);
    }
  }

  private void clear(String run, boolean known, AtomicInteger unread) {
    if (!known) {
      AttemptKey.parse(run).ifPresent(unended::add);
    }
    whenRead(
        run,
        at -> {
          at.ifPresent(record -> ways.nodes().used(record.node(), run));
          named(unread);
          if (!known) {
            at.ifPresentOrElse(record -> end(run, record), () -> ended(run));
          }
        });
  }

  /** No machine is given up while it is not known whether a run needs it. */
  private void named(AtomicInteger unread) {
    if (unread.decrementAndGet() == 0) {
      ways.nodes().settled();
    }
  }

  /** Until it is cleaned something of it may still run there. */
  private void end(String run, RunRecord at) {
    ways.book().put(run, at.node(), at.gpus());
    cleaner.clean(run, at, mark(run, at), Left.PERHAPS_PROCESSES, () -> ended(run));
  }

  private void ended(String run) {
    AttemptKey.parse(run).ifPresent(key -> context.inputs().accept(new Input.LeftoverEnded(key)));
  }

  @Override
  public Set<AttemptKey> unended() {
    return Set.copyOf(unended);
  }

  /** The folder that a run has on its node tells whose it was when it began. */
  private static String mark(String run, RunRecord at) {
    String[] parts = at.folder().split("/");
    return parts[parts.length - 2] + "/" + run + "/";
  }

  /** What a run is to be. */
  private final class Starting implements NodeRun.Start {
    private final Place place;
    private final Allocation allocation;
    private final RunRecord at;

    Starting(Place place, Allocation allocation, RunRecord at) {
      this.place = place;
      this.allocation = allocation;
      this.at = at;
    }

    @Override
    public Order order() throws IOException, NodeRun.NotHad {
      records.write(AttemptKey.of(place).toString(), at);
      return Orders.of(place, allocation, context, settings, at);
    }

    @Override
    public Optional<String> refusal() throws IOException {
      return context.refusal();
    }
  }

  /** Tells the agent. */
  private final class Telling implements NodeRun.Listener {
    private final AttemptKey key;
    private final String node;

    Telling(AttemptKey key, String node) {
      this.key = key;
      this.node = node;
    }

    @Override
    public void began() {
      LOG.infof("run %s has begun on %s", key, node);
      context.inputs().accept(new Input.Started(key, context.elsewhere()));
    }

    @Override
    public void notBegun(Cause cause, String why) {
      if (cause == Cause.LAUNCH) {
        ways.book().failed(key.job(), node);
      }
      unbegun.add(key);
      ways.book().over(key.toString());
      context.outputs().drop(key);
      context.inputs().accept(new Input.NotStarted(key, cause, why));
    }

    @Override
    public void ended(OptionalInt exitCode, Optional<String> note, boolean launch) {
      if (exitCode.orElse(1) != 0) {
        ways.book().failed(key.job(), node);
      }
      Optional<FailureCategory> category =
          launch ? Optional.of(FailureCategory.LAUNCH) : Optional.empty();
      ways.book().over(key.toString());
      context.outputs().end(key, exitCode, category, note);
    }
  }

  @Override
  public void close() {
    readings.forEach(Thread::interrupt);
    runs.values().forEach(NodeRun::close);
    cleaner.close();
    ways.links().close();
    ways.nodes().close();
  }
}
