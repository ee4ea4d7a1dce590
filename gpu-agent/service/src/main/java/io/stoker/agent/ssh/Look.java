package io.stoker.agent.ssh;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * The answer of a node about a run.
 *
 * @param value the exit code if it has ended, its first process while it is alive
 * @param stdout what is new of it
 * @param stderr likewise
 * @param more whether there is more of these two than was told
 * @param result the result file, if the run has ended and left one
 * @param unusable why the job could not be begun, if so
 */
record Look(
    State state,
    long value,
    byte[] stdout,
    byte[] stderr,
    boolean more,
    byte[] result,
    Optional<String> unusable) {
  private static final String WORD = "stoker";

  /** How a run is, on its node. */
  enum State {
    /** Its folder is not there. */
    NONE,
    /** Its folder is laid out. */
    UNCLAIMED,
    /** It will never begin. */
    REVOKED,
    /** It is about to have a process. */
    STARTING,
    ALIVE,
    EXITED,
    /** The node has ended it, because nobody asked after it for too long. */
    ABANDONED,
    /** It went away and left no exit code, as at a reboot. */
    GONE
  }

  /** How many bytes a stream has on the node. */
  private record Stream(long size, int told) {}

  /**
   * Reads an answer.
   *
   * @param stdoutFrom where the answer's stdout begins
   * @param stderrFrom likewise
   * @throws LinkException if it is none
   */
  static Look parse(byte[] answer, long stdoutFrom, long stderrFrom) throws LinkException {
    int end = 0;
    while (end < answer.length && answer[end] != '\n') {
      end++;
    }
    String line = new String(answer, 0, end, StandardCharsets.UTF_8);
    String[] words = line.split(" ");
    try {
      if (words.length != 9 || !words[0].equals(WORD)) {
        throw new IllegalArgumentException("it is no answer");
      }
      State state = State.valueOf(words[1].toUpperCase(java.util.Locale.ROOT));
      Stream out = new Stream(Long.parseLong(words[3]), Integer.parseInt(words[5]));
      Stream err = new Stream(Long.parseLong(words[4]), Integer.parseInt(words[6]));
      int result = Integer.parseInt(words[7]);
      int unusable = Integer.parseInt(words[8]);
      int at = end + 1;
      if (answer.length != at + out.told() + err.told() + result + unusable) {
        throw new IllegalArgumentException("it is cut off");
      }
      int errAt = at + out.told();
      int resultAt = errAt + err.told();
      int unusableAt = resultAt + result;
      return new Look(
          state,
          Long.parseLong(words[2]),
          Arrays.copyOfRange(answer, at, errAt),
          Arrays.copyOfRange(answer, errAt, resultAt),
          stdoutFrom + out.told() < out.size() || stderrFrom + err.told() < err.size(),
          Arrays.copyOfRange(answer, resultAt, unusableAt),
          unusable == 0
              ? Optional.empty()
              : Optional.of(new String(answer, unusableAt, unusable, StandardCharsets.UTF_8)));
    } catch (IllegalArgumentException e) {
      throw new LinkException(
          LinkException.Kind.BROKEN,
          "a node's answer cannot be read (%s): '%s'".formatted(e.getMessage(), line));
    }
  }
}
