package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.secret.HostSecrets;
import io.stoker.agent.spawn.Order;
import io.stoker.common.message.ToAgent.Place;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Prepares a run's folder so that the spawner can start it. */
final class RunStarter {
  private final RunFolders folders;
  private final String owner;
  private final Map<String, String> passed;
  private final RunAs runAs;
  private final HostSecrets secrets;
  private final Affinity affinity;

  /**
   * @param owner what markers begin with
   * @param passed what jobs see of the agent's environment
   * @param runAs as whom they run
   * @param secrets that they may have
   * @param affinity on which processors
   */
  RunStarter(
      RunFolders folders,
      String owner,
      Map<String, String> passed,
      RunAs runAs,
      HostSecrets secrets,
      Affinity affinity) {
    this.secrets = secrets;
    this.affinity = affinity;
    this.folders = folders;
    this.owner = owner;
    this.passed = runAs.environment(passed);
    this.runAs = runAs;
  }

  /** What came of it. */
  sealed interface Prepared {}

  /** The spawner can have it. */
  record Ready(Order order) implements Prepared {}

  /** The job cannot be started. */
  record Impossible(String why) implements Prepared {}

  /**
   * Writes the folder; or says why the job cannot be started.
   *
   * @param starts which of the attempt's processes it is to be, from 1
   * @param told whether it is told things on its input
   */
  Prepared prepare(Place place, Allocation allocation, int starts, boolean told)
      throws IOException {
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    Map<String, String> secret;
    try {
      secret = secrets.of(place.program().claim());
    } catch (IOException e) {
      return new Impossible(e.getMessage());
    }
    RunFiles files = starts > 1 ? folders.again(place, starts) : folders.create(place);
    List<String> command = place.program().command();
    Path workdir =
        place
            .program()
            .workdir()
            .map(folder -> Path.of(folder).toAbsolutePath())
            .orElse(folders.scratch(key));
    runAs.own(folders.folder(key), folders.scratch(key), files);
    Map<String, String> environment = new TreeMap<>(passed);
    environment.putAll(secret);
    environment.putAll(JobEnvironment.own(place, allocation, files, owner + "/" + key));
    String path = environment.getOrDefault("PATH", "");
    return switch (ProgramCheck.of(command, workdir, path)) {
      case ProgramCheck.Unusable(String why) -> new Impossible(why);
      case ProgramCheck.Found(Path program) ->
          new Ready(
              runAs.order(
                  new Order(
                      key.toString(),
                      program.toString(),
                      workdir.toString(),
                      told,
                      command,
                      texts(environment),
                      affinity.of(allocation.devices()))));
    };
  }

  private static List<String> texts(Map<String, String> environment) {
    List<String> texts = new ArrayList<>(environment.size());
    environment.forEach((name, value) -> texts.add(name + "=" + value));
    return texts;
  }
}
