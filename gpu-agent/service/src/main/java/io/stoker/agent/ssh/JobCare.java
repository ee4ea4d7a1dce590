package io.stoker.agent.ssh;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The care for each job on a node, whichever it is.
 *
 * @param preScript shell text before the command, in the same shell
 * @param postScript shell text after it
 * @param files copied into its scratch folder
 * @param grace between TERM and KILL for what it leaves behind
 */
public record JobCare(
    Optional<String> preScript, Optional<String> postScript, List<Path> files, Duration grace) {
  /** Nothing but the grace. */
  public static JobCare plain(Duration grace) {
    return new JobCare(Optional.empty(), Optional.empty(), List.of(), grace);
  }

  /** Which of the files is not there, if so. */
  Optional<String> lack() {
    return files.stream()
        .filter(file -> !Files.isRegularFile(file))
        .findFirst()
        .map(file -> "files: " + file + " is not a file");
  }
}
