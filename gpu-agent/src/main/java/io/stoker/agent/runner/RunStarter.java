package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.device.Allocation;
import io.stoker.common.message.ToAgent.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Prepares a run's folder so that a wrapper can start it. */
final class RunStarter {
  private final RunFolders folders;
  private final String owner;
  private final Map<String, String> passed;
  private final String setsid;
  private final String env;

  /**
   * @param owner what markers begin with
   * @param passed what jobs see of the agent's environment
   * @throws IOException if a program that every start needs is not there
   */
  RunStarter(RunFolders folders, String owner, Map<String, String> passed) throws IOException {
    this.folders = folders;
    this.owner = owner;
    this.passed = passed;
    this.setsid = find("setsid");
    this.env = find("env");
  }

  /** Writes the folder; or says why the job cannot be started. */
  Optional<String> prepare(Place place, Allocation allocation) throws IOException {
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    RunFiles files = folders.create(place);
    Path workdir = place.workdir() == null ? folders.scratch(key) : Path.of(place.workdir());
    Map<String, String> own = JobEnvironment.own(place, allocation, files, owner + "/" + key);
    String path = own.getOrDefault("PATH", passed.getOrDefault("PATH", ""));
    Optional<String> problem = ProgramCheck.problem(place.command(), workdir, path);
    if (problem.isEmpty()) {
      folders.writeStart(key, StartScript.of(setsid, env, workdir, own, place.command()));
    }
    return problem;
  }

  private String find(String program) throws IOException {
    for (String folder : passed.getOrDefault("PATH", "/usr/bin:/bin").split(":")) {
      Path file = Path.of(folder.isEmpty() ? "." : folder, program);
      if (Files.isExecutable(file) && !Files.isDirectory(file)) {
        return file.toAbsolutePath().toString();
      }
    }
    throw new IOException("program " + program + " is not on the agent's path; jobs need it");
  }
}
