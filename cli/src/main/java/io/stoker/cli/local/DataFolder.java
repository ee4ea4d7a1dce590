package io.stoker.cli.local;

import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The folder of one local stack: everything that the stack keeps lies in it, and its path is what
 * tells two stacks apart.
 */
public record DataFolder(Path root) {
  /** Names the data folder for every command. */
  public static final String VARIABLE = "STOKER_DATA";

  public DataFolder {
    root = root.toAbsolutePath().normalize();
  }

  /**
   * Chooses the folder: {@code --data} wins over {@code STOKER_DATA}, which wins over {@code
   * .stoker} in Stoker's home.
   */
  public static DataFolder choose(Optional<Path> option, Map<String, String> environment) {
    return new DataFolder(
        option
            .or(
                () ->
                    Optional.ofNullable(environment.get(VARIABLE))
                        .filter(named -> !named.isBlank())
                        .map(Path::of))
            .orElseGet(() -> Home.locate().defaultData()));
  }

  /**
   * Makes the folder, readable by its owner alone: it holds secrets.
   *
   * @throws IOException also if its path has a comma
   */
  public void create() throws IOException {
    if (root.toString().contains(",")) {
      throw new IOException("Kafka takes no path with a comma");
    }
    OwnFiles.folder(root);
    OwnFiles.files(root);
    OwnFiles.folder(root.resolve("logs"));
    OwnFiles.files(root.resolve("logs"));
  }

  /** Locked by the one {@code up} that runs on this folder. */
  public Path lockFile() {
    return root.resolve("lock");
  }

  /** What runs now; see {@link RunningStack}. */
  public Path runningFile() {
    return root.resolve("running.json");
  }

  /** What is kept from run to run; see {@link StackSettings}. */
  public Path settingsFile() {
    return root.resolve("settings.json");
  }

  /** How it was started last; see {@link LastStart}. */
  public Path lastStartFile() {
    return root.resolve("last-start.json");
  }

  public Path log(String process) {
    return root.resolve("logs").resolve(process + ".log");
  }

  /** The working folder of a process, made when missing. */
  public Path workFolder(String process) throws IOException {
    return Files.createDirectories(root.resolve("run").resolve(process));
  }

  /** Certificate, logins and tokens of a stack that is secure. */
  public Path secure() {
    return root.resolve("secure");
  }

  public Path kafka() {
    return root.resolve("kafka");
  }

  public Path postgres() {
    return root.resolve("postgres");
  }

  /** An agent's journal and the folders of its runs. */
  public Path agent(String host) {
    return root.resolve("agents").resolve(host);
  }

  /** The key of a host: its agent reads it again where it changes. */
  public Path hostKey(String host) {
    return root.resolve("keys").resolve(host);
  }

  /** What the simulated GPUs of a host are like; to be changed while it runs. */
  public Path simulatedGpus(String host) {
    return root.resolve("gpus").resolve(host);
  }

  @Override
  public String toString() {
    return root.toString();
  }
}
