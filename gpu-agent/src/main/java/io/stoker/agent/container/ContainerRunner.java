package io.stoker.agent.container;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.runner.RunFiles;
import io.stoker.agent.runner.Runner;
import io.stoker.agent.runner.RunnerContext;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.request.RunnerType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Runs jobs as containers of an OCI engine. A container is found again by its name, which is made
 * of the run's and of the agent's; it is removed when everybody knows of its end, so that its exit
 * code is there for an agent that dies meanwhile.
 */
public final class ContainerRunner implements Runner {
  private static final Logger LOG = Logger.getLogger(ContainerRunner.class);
  private static final int OWNER_PART = 8;

  private final RunnerContext context;
  private final ContainerSettings settings;
  private final Engine engine;
  private final CreateArguments arguments;
  private final Map<AttemptKey, ContainerRun> runs = new ConcurrentHashMap<>();

  /** Names of containers that there may be. */
  private final Set<String> present = ConcurrentHashMap.newKeySet();

  /**
   * @throws IOException if the watchdog cannot be told how to end them
   */
  public ContainerRunner(RunnerContext context, ContainerSettings settings) throws IOException {
    this.context = context;
    this.settings = settings;
    this.engine = new Engine(settings.cli());
    this.arguments = new CreateArguments(settings);
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
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    ContainerRun run = run(place);
    onThread(key, () -> run.start(create(place, allocation, key)));
  }

  private ContainerRun run(Place place) {
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    String name = name(key.toString());
    ContainerRun run = new ContainerRun(context, engine, place, name);
    runs.put(key, run);
    present.add(name);
    return run;
  }

  private List<String> create(Place place, Allocation allocation, AttemptKey key)
      throws IOException {
    RunFiles files = context.prepare(place);
    Path work =
        place.workdir() == null
            ? context.scratch(key)
            : Path.of(place.workdir()).toAbsolutePath().normalize();
    if (!Files.isDirectory(work)) {
      throw new IOException("its work folder " + work + " does not exist on this host");
    }
    return arguments.of(
        place,
        allocation,
        name(key.toString()),
        context.owner(),
        key.toString(),
        new CreateArguments.Folders(context.folder(key), context.data().resolve("shared"), work),
        context.environment(place, allocation, files));
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
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    ContainerRun run = run(place);
    onThread(key, () -> run.adopt(known));
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
    onThread(
        () -> {
          Engine.Answer answer =
              engine.askSoon(
                  "ps",
                  "--all",
                  "--filter",
                  "label=" + CreateArguments.OWNER_LABEL + "=" + context.owner(),
                  "--format",
                  "{{.Names}}");
          List<String> left =
              answer
                  .out()
                  .lines()
                  .map(String::strip)
                  .filter(name -> name.startsWith(prefix()) && !present.contains(name))
                  .toList();
          removeAll(left);
          if (answer.ok()) {
            forgetAllBut(known, answer.out().lines().map(String::strip).toList());
          }
        });
  }

  /** Most of what is known was no container, or is one no more: nothing is to be removed then. */
  private void forgetAllBut(Set<AttemptKey> known, List<String> there) {
    known.stream()
        .filter(key -> !runs.containsKey(key))
        .map(key -> name(key.toString()))
        .filter(name -> !there.contains(name))
        .forEach(present::remove);
  }

  private void removeAll(List<String> names) throws IOException, InterruptedException {
    for (String name : names) {
      Engine.Answer answer = engine.askSoon("rm", "--force", name);
      if (!answer.ok() && !answer.unknown()) {
        LOG.warnf("container %s is not removed: %s", name, answer.why());
      }
    }
  }

  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  private static void onThread(Step step) {
    Thread.ofVirtual()
        .start(
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

  /** A step whose failure is the run's. */
  private void onThread(AttemptKey key, Step step) {
    onThread(
        () -> {
          try {
            step.run();
          } catch (IOException e) {
            String why = "container engine " + engine.name() + ": " + e.getMessage();
            context.inputs().accept(new Input.NotStarted(key, Cause.LAUNCH, why));
          }
        });
  }

  /** What follows containers goes with the agent. */
  @Override
  public void close() {}
}
