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
    AttemptKey key = key(place);
    String run = key.toString();
    NodeGpus.Wanted wanted = NodeGpus.Wanted.of(place);
    Optional<NodeBook.Given> given = ways.book().choose(run, place.job(), wanted);
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
    AttemptKey key = key(place);
    Mirror mirror = new Mirror(context.stdout(key), context.stderr(key), context.result(key));
    NodeRun run =
        new NodeRun(
            new NodeRun.Subject(key.toString(), mark(key.toString(), at), at, mirror),
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
    AttemptKey key = key(place);
    Optional<RunRecord> at = readable(key.toString());
    if (at.isPresent()) {
      ways.book().put(key.toString(), at.get().node(), at.get().gpus());
      follow(
              place,
              new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 0),
              at.get())
          .resume(known.isPresent());
    } else if (known.isPresent()) {
      context.inputs().accept(new Input.Exited(key, RunEnd.unseen()));
    } else {
      context.inputs().accept(new Input.NotStarted(key, Cause.UNCLAIMED, "it was not begun"));
    }
  }

  /** One record that is damaged keeps no other from being seen to. */
  private Optional<RunRecord> readable(String run) {
    try {
      return records.read(run);
    } catch (IOException e) {
      LOG.errorf(e, "run %s cannot be found again", run);
      return Optional.empty();
    }
  }

  @Override
  public void kill(AttemptKey key, long graceMs) {
    NodeRun run = runs.get(key);
    if (run != null) {
      run.kill(graceMs);
    }
  }

  @Override
  public void remove(AttemptKey key) {
    runs.remove(key);
    clean(key.toString(), unbegun.remove(key) ? Left.LITTLE : Left.FOLDER);
  }

  private void clean(String run, Left left) {
    try {
      Optional<RunRecord> at = records.read(run);
      if (at.isPresent()) {
        cleaner.clean(run, at.get(), mark(run, at.get()), left);
      } else {
        ways.book().remove(run).ifPresent(node -> ways.nodes().unused(node, run));
      }
    } catch (IOException e) {
      LOG.errorf(e, "what run %s left on its node cannot be removed", run);
    }
  }

  @Override
  public void clear(Set<AttemptKey> known) {
    Set<String> names = known.stream().map(AttemptKey::toString).collect(Collectors.toSet());
    try {
      for (String run : records.names()) {
        readable(run).ifPresent(at -> ways.nodes().used(at.node(), run));
      }
      ways.nodes().settled();
      for (String run : records.names()) {
        Optional<RunRecord> at = names.contains(run) ? Optional.empty() : readable(run);
        at.ifPresent(record -> end(run, record));
      }
    } catch (IOException e) {
      LOG.error("what an earlier agent left on nodes cannot be found", e);
    }
  }

  /** Until it is cleaned something of it may still run there. */
  private void end(String run, RunRecord at) {
    ways.book().put(run, at.node(), at.gpus());
    Optional<AttemptKey> key = AttemptKey.parse(run);
    key.ifPresent(unended::add);
    cleaner.clean(
        run,
        at,
        mark(run, at),
        Left.PERHAPS_PROCESSES,
        () -> key.ifPresent(ended -> context.inputs().accept(new Input.LeftoverEnded(ended))));
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

  private static AttemptKey key(Place place) {
    return new AttemptKey(place.job(), place.attempt());
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
    public Order order() throws IOException {
      records.write(key(place).toString(), at);
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
    runs.values().forEach(NodeRun::close);
    cleaner.close();
    ways.links().close();
    ways.nodes().close();
  }
}
