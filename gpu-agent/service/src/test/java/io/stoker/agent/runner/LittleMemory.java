package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import java.io.IOException;
import java.nio.file.Path;

/** A process of its own, with as little memory as it is given, that removes what a run left. */
final class LittleMemory {
  private LittleMemory() {}

  /**
   * @param arguments the data folder, and the run's name
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path data = Path.of(arguments[0]);
    new RunFolders(data, RunUsers.SELF).recycle(AttemptKey.parse(arguments[1]).orElseThrow());
    while (data.resolve("gone").toFile().list().length > 0) {
      Thread.sleep(50);
    }
  }
}
