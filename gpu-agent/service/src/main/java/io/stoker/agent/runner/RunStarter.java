package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.secret.HostSecrets;
import io.stoker.agent.spawn.Order;
import io.stoker.common.message.Workload.Claim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Prepares a run's folder so that the spawner can start it.
 *
 * @param owner what markers begin with
 * @param passed what jobs see of the agent's environment
 * @param confinement what they are kept in
 * @param secrets that they may have
 * @param affinity on which processors
 */
record RunStarter(
    RunFolders folders,
    String owner,
    Map<String, String> passed,
    Confinement confinement,
    HostSecrets secrets,
    Affinity affinity) {
  private static final String NO_QUEUE =
      "this host runs jobs as a user by their queue or sender (stoker.agent.run-as.queues,"
          + " stoker.agent.run-as.senders), and its dispatcher tells neither: it is of a build before";

  /** What came of it. */
  sealed interface Prepared {}

  /**
   * The spawner can have it.
   *
   * @param kept what it is kept in, where that is more than every job
   */
  record Ready(Order order, Optional<String> kept) implements Prepared {}

  /** The job cannot be started. */
  record Impossible(String why) implements Prepared {}

  /**
   * Writes the folder; or says why the job cannot be started.
   *
   * @param starts which of the attempt's processes it is to be, from 1
   */
  Prepared prepare(RunSpec spec, Allocation allocation, int starts) throws IOException {
    RunKey key = spec.key();
    Isolation isolation = confinement.isolation();
    boolean offline = spec.program().claim().offline();
    Optional<RunAs> user = confinement.users().of(spec);
    if (user.isEmpty()) {
      return new Impossible(NO_QUEUE);
    }
    Optional<String> refusal = isolation.refusal(offline);
    if (refusal.isPresent()) {
      return new Impossible(refusal.get());
    }
    Map<String, String> secret;
    try {
      Claim claim = spec.program().claim();
      secret =
          switch (key) {
            case AttemptKey attempt -> secrets.of(key.name(), claim);
            case WorkerKey worker -> secrets.ofWorker(key.name(), claim);
          };
    } catch (IOException e) {
      return new Impossible(e.getMessage());
    }
    RunFiles files = starts > 1 ? folders.again(spec, starts) : folders.create(spec);
    List<String> command = spec.program().command();
    Path workdir =
        spec.program()
            .workdir()
            .map(folder -> Path.of(folder).toAbsolutePath())
            .orElse(folders.scratch(key));
    if (isolation.privateTmp()) {
      Files.createDirectories(Isolation.tmp(folders.folder(key)));
    }
    user.get().own(folders.folder(key), folders.scratch(key), files);
    Map<String, String> environment = new TreeMap<>(user.get().environment(passed));
    if (isolation.privateTmp()) {
      environment.remove("TMPDIR");
    }
    environment.putAll(secret);
    environment.putAll(JobEnvironment.own(spec, allocation, files, owner + "/" + key));
    String path = environment.getOrDefault("PATH", "");
    return switch (ProgramCheck.of(command, workdir, path)) {
      case ProgramCheck.Unusable(String why) -> new Impossible(why);
      case ProgramCheck.Found(Path program) ->
          new Ready(
              isolation.order(
                  user.get()
                      .order(
                          new Order(
                              key.toString(),
                              program.toString(),
                              workdir.toString(),
                              spec.told(),
                              command,
                              texts(environment),
                              affinity.of(allocation.devices())),
                          spec.program().workdir().isPresent()),
                  offline,
                  folders.folder(key)),
              confinement.words(user.get(), offline));
    };
  }

  private static List<String> texts(Map<String, String> environment) {
    List<String> texts = new ArrayList<>(environment.size());
    environment.forEach((name, value) -> texts.add(name + "=" + value));
    return texts;
  }
}
