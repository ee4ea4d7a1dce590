package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Now;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.spawn.BootClock;
import io.stoker.agent.spawn.Permission;
import io.stoker.common.message.ToAgent.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The means that a {@link Runner} is given: the folders of its runs, and where it tells what
 * happens.
 */
public final class RunnerContext {
  private final RunnerSettings settings;
  private final RunFolders folders;
  private final OutputFollower outputs;
  private final Consumer<Input> inputs;
  private final BootClock clock;
  private final Permission permission;

  RunnerContext(
      RunnerSettings settings,
      RunFolders folders,
      OutputFollower outputs,
      Consumer<Input> inputs,
      BootClock clock)
      throws IOException {
    this.settings = settings;
    this.folders = folders;
    this.outputs = outputs;
    this.inputs = inputs;
    this.clock = clock;
    this.permission = new Permission(settings.owner().data());
  }

  /** The agent's data folder, absolute. */
  public Path data() {
    return settings.owner().data();
  }

  /** What tells this agent's runs from another's: its journal's id. */
  public String owner() {
    return settings.owner().mark();
  }

  /** Where a runner tells what happens. */
  public Consumer<Input> inputs() {
    return inputs;
  }

  /** Reads what runs write into {@link #stdout} and {@link #stderr}. */
  public OutputFollower outputs() {
    return outputs;
  }

  /** Makes the folder of a run afresh, with the files that its job reads. */
  public RunFiles prepare(Place place) throws IOException {
    return folders.create(RunSpec.of(place));
  }

  /**
   * Files of a run cannot be written here: another host may have room for it.
   *
   * @return what to say of it
   */
  public String unwritten(AttemptKey key, IOException why) {
    return folders.unwritten(key, why, inputs);
  }

  /**
   * Has any user read what a run is given, who is the one of its container: the folder above is
   * closed. Not where another user's jobs may pass that.
   */
  public void open(AttemptKey key) throws IOException {
    if (!settings.terms().confinement().users().change()) {
      for (Path one : List.of(folder(key), scratch(key))) {
        if (Files.isDirectory(one)) {
          Files.setPosixFilePermissions(one, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
      }
    }
  }

  /** Whether no job of this host has a network. */
  public boolean offline() {
    return settings.terms().confinement().isolation().offline();
  }

  /** A run's folder on this host. */
  public Path folder(AttemptKey key) {
    return folders.folder(key);
  }

  /** Where what a run writes is gathered on this host. */
  public Path stdout(AttemptKey key) {
    return folders.stdout(key);
  }

  public Path stderr(AttemptKey key) {
    return folders.stderr(key);
  }

  /** Where its result is looked for when it has ended. */
  public Path result(AttemptKey key) {
    return folders.result(key);
  }

  /** The work folder of a job that names none. */
  public Path scratch(AttemptKey key) {
    return folders.scratch(key);
  }

  /**
   * A job's own variables; none of the agent's is among them.
   *
   * @throws IOException if the host does not give it a secret that it asks for
   */
  public Map<String, String> environment(Place place, Allocation allocation, RunFiles files)
      throws IOException {
    RunSpec spec = RunSpec.of(place);
    Map<String, String> own =
        JobEnvironment.own(spec, allocation, files, settings.owner().mark() + "/" + spec.key());
    settings.secrets().of(spec.key().name(), place.program().claim()).forEach(own::putIfAbsent);
    return own;
  }

  /**
   * Why nothing may be started at this moment, if so: to be asked last, since the agent may have
   * slept since it was told to start it.
   */
  public Optional<String> refusal() throws IOException {
    return permission.refusal();
  }

  /** For {@link Input.Started}: it runs from now on, and has no process on this host. */
  public RunProcess elsewhere() {
    return process(0, 0);
  }

  /** The same with a process that this host sees. */
  public RunProcess process(long pid, long startTicks) {
    Now now = clock.now();
    return new RunProcess(pid, startTicks, settings.owner().bootId(), now.wallMs(), now.bootMs());
  }
}
