package io.stoker.agent.container;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.runner.RunFiles;
import io.stoker.agent.runner.Runner;
import io.stoker.agent.runner.RunnerContext;
import io.stoker.common.life.Vital;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.request.RunnerType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Runs jobs as containers of an OCI engine. A container is found again by its name, which is made
 * of the run's and of the agent's; it is removed when everybody knows of its end, so that its exit
 * code is there for an agent that dies meanwhile.
 */
public final class ContainerRunner implements Runner {
  private static final Logger LOG = Logger.getLogger(ContainerRunner.class);
  private static final int OWNER_PART = 8;

  /** In the folder of a run that may have a container. */
  private static final String SIGN = "container";

  /** In it too, until the engine has read it. */
  private static final String VARIABLES = "variables";

  /** Between two questions to an engine that does not answer. */
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private final RunnerContext context;
  private final ContainerSettings settings;
  private final Engine engine;
  private final CreateArguments arguments;
  private final Map<AttemptKey, ContainerRun> runs = new ConcurrentHashMap<>();

  /** Names of containers that there may be. */
  private final Set<String> present = ConcurrentHashMap.newKeySet();

  /** Runs of an earlier agent that were not known when this one began. */
  private final Set<AttemptKey> unended = ConcurrentHashMap.newKeySet();

  /** By what containers of this data folder are known, this agent's own first. */
  private final List<String> owners;

  private volatile boolean closed;

  /**
   * @throws IOException if the watchdog cannot be told how to end them
   */
  public ContainerRunner(RunnerContext context, ContainerSettings settings) throws IOException {
    this.context = context;
    this.settings = settings;
    this.engine = new Engine(settings.cli());
    this.arguments = new CreateArguments(settings, context.offline());
    this.owners =
        Stream.concat(Stream.of(context.owner()), ExpiryHook.owner(context.data()).stream())
            .distinct()
            .toList();
    ExpiryHook.write(context.data(), settings.cli(), context.owner(), System.getenv());
  }

  @Override
  public String type() {
    return RunnerType.CONTAINER.key();
  }

  @Override
  public int slots() {
    return settings.slots();
  }

  @Override
  public void start(Place place, Allocation allocation) {
    AttemptKey key = AttemptKey.of(place);
    ContainerRun run = run(place);
    onThread(key, () -> create(run, place, allocation, key));
  }

  private ContainerRun run(Place place) {
    AttemptKey key = AttemptKey.of(place);
    String name = name(key.toString());
    ContainerRun run = new ContainerRun(context, engine, place, name);
    runs.put(key, run);
    present.add(name);
    return run;
  }

  private void create(ContainerRun run, Place place, Allocation allocation, AttemptKey key)
      throws IOException, InterruptedException {
    Optional<Path> named =
        place.program().workdir().map(one -> Path.of(one).toAbsolutePath().normalize());
    Path work = named.orElse(context.scratch(key));
    Path source =
        named.isPresent() ? new Mounts(settings.mounts()).source(work, context.data()) : work;
    Path folder = context.folder(key);
    Path given = folder.resolve(VARIABLES);
    RunFiles files;
    try {
      files = prepare(place, key);
    } catch (IOException e) {
      unwritten(key, e);
      return;
    }
    GivenVariables variables =
        GivenVariables.of(
            arguments.variables(allocation, work, context.environment(place, allocation, files)));
    try {
      variables.write(given);
    } catch (IOException e) {
      unwritten(key, e);
      return;
    }
    try {
      run.start(
          arguments.of(
              place,
              allocation,
              name(key.toString()),
              context.owner(),
              key.toString(),
              new CreateArguments.Folders(
                  folder, context.data().resolve("shared"), files.result(), work, source),
              variables.arguments(given)),
          variables.inherited(),
          () -> Files.deleteIfExists(given));
    } finally {
      Files.deleteIfExists(given);
    }
  }

  private RunFiles prepare(Place place, AttemptKey key) throws IOException {
    RunFiles files = context.prepare(place);
    Files.createFile(context.folder(key).resolve(SIGN));
    Files.createFile(files.result());
    if (foreign()) {
      context.open(key);
    }
    return files;
  }

  /** Whether its containers may be another user's than the agent's. */
  private boolean foreign() throws IOException {
    Path data = context.data();
    String own = Files.getAttribute(data, "unix:uid") + ":" + Files.getAttribute(data, "unix:gid");
    return !settings.user().equals(Optional.of(own));
  }

  private String prefix() {
    String owner = context.owner();
    return "stoker-" + owner.substring(0, Math.min(OWNER_PART, owner.length())) + "-";
  }

  /** A name that engines take. */
  private String name(String run) {
    return prefix() + run.replace(':', '_');
  }

  @Override
  public void adopt(Place place, Optional<RunProcess> known) {
    ContainerRun run = run(place);
    run.mayBegin(); // before a kill: it may run
    onThread(() -> run.adopt(known));
  }

  @Override
  public void kill(AttemptKey key, long graceMs) {
    ContainerRun run = runs.get(key);
    if (run != null) {
      onThread(() -> run.kill(graceMs));
    }
  }

  @Override
  public void remove(AttemptKey key) {
    runs.remove(key);
    String name = name(key.toString());
    if (present.remove(name)) {
      onThread(() -> removeAll(List.of(name)));
    }
  }

  @Override
  public void clear(Set<AttemptKey> known) {
    Set<String> names = known.stream().map(key -> name(key.toString())).collect(Collectors.toSet());
    present.addAll(names); // of some the end is known already, and removal will be asked for
    unended.addAll(signed());
    unended.removeAll(known);
    onThread(
        () -> {
          while (!closed && !cleared(known)) {
            Thread.sleep(AGAIN);
          }
          if (!closed) {
            unended.forEach(key -> context.inputs().accept(new Input.LeftoverEnded(key)));
          }
        });
  }

  @Override
  public Set<AttemptKey> unended() {
    return Set.copyOf(unended);
  }

  /** Runs that may have a container. */
  private Set<AttemptKey> signed() {
    try (Stream<Path> folders = Files.list(context.data().resolve("runs"))) {
      return folders
          .filter(folder -> Files.exists(folder.resolve(SIGN)))
          .flatMap(folder -> AttemptKey.parse(folder.getFileName().toString()).stream())
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException("the folders of runs cannot be read", e);
    }
  }

  /** Whether nothing is left of what was not known; not until the engine says so. */
  private boolean cleared(Set<AttemptKey> known) throws InterruptedException {
    try {
      boolean all = true;
      for (String owner : owners) {
        Engine.Answer answer = there(owner);
        if (!answer.ok()) {
          LOG.warnf("containers of an earlier agent are looked for again: %s", answer.why());
          return false;
        }
        List<String> there = answer.out().lines().map(String::strip).toList();
        all &= removeAll(there.stream().filter(name -> !present.contains(name)).toList());
        if (owner.equals(context.owner())) {
          forgetAllBut(known, there);
        }
      }
      return all;
    } catch (IOException e) {
      LOG.warn("containers of an earlier agent are looked for again: " + e.getMessage());
      return false;
    }
  }

  private Engine.Answer there(String owner) throws IOException, InterruptedException {
    return engine.askSoon(
        "ps",
        "--all",
        "--filter",
        "label=" + CreateArguments.OWNER_LABEL + "=" + owner,
        "--format",
        "{{.Names}}");
  }

  /** Most of what is known was no container, or is one no more: nothing is to be removed then. */
  private void forgetAllBut(Set<AttemptKey> known, List<String> there) {
    known.stream()
        .filter(key -> !runs.containsKey(key))
        .map(key -> name(key.toString()))
        .filter(name -> !there.contains(name))
        .forEach(present::remove);
  }

  /** Whether all of them are gone. */
  private boolean removeAll(List<String> names) throws IOException, InterruptedException {
    boolean all = true;
    for (String name : names) {
      Optional<String> trouble = engine.remove(name);
      if (trouble.isPresent()) {
        LOG.warnf("container %s is not removed: %s", name, trouble.get());
        all = false;
      }
    }
    return all;
  }

  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  /** The next agent follows a run on whose thread ends with an error; this one never would. */
  private static void onThread(Step step) {
    Vital.once(
        "container",
        () -> {
          try {
            step.run();
          } catch (IOException e) {
            LOG.warn("the container engine cannot be asked: " + e.getMessage());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** A step that starts a run, whose failure is the run's. */
  private void onThread(AttemptKey key, Step step) {
    onThread(
        () -> {
          try {
            step.run();
          } catch (IOException e) {
            notStarted(
                key, Cause.LAUNCH, "container engine " + engine.name() + ": " + e.getMessage());
          } catch (RuntimeException e) {
            LOG.warnf(e, "%s cannot be prepared", key);
            notStarted(key, Cause.LAUNCH, "it cannot be prepared: " + e);
          }
        });
  }

  private void unwritten(AttemptKey key, IOException why) {
    notStarted(key, Cause.REFUSED, context.unwritten(key, why));
  }

  private void notStarted(AttemptKey key, Cause cause, String why) {
    context.inputs().accept(new Input.NotStarted(key, cause, why));
  }

  /** What follows containers goes with the agent. */
  @Override
  public void close() {
    closed = true;
    runs.values().forEach(ContainerRun::close);
  }
}
