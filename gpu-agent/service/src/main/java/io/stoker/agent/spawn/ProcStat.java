package io.stoker.agent.spawn;

/**
 * Reads {@code /proc/<pid>/stat}.
 *
 * @param state one letter, such as R, S, T, Z
 * @param session id of its session
 * @param threads that it has; of a zombie 1, unless it is its first thread alone that has ended
 * @param startTicks when it started, in clock ticks since boot
 * @param exitStatus of a zombie, as {@code waitpid} gives it; 0 too for those who may not know
 */
public record ProcStat(
    char state, long parent, long session, int threads, long startTicks, int exitStatus) {
  private static final int STATE = 0;
  private static final int PARENT = 1;
  private static final int SESSION = 3;
  private static final int THREADS = 17;
  private static final int START = 19;
  private static final int EXIT = 49;

  /** The program's name stands in parentheses and may itself hold blanks and parentheses. */
  public static ProcStat parse(String line) {
    String[] fields = line.substring(line.lastIndexOf(')') + 2).trim().split(" ");
    return new ProcStat(
        fields[STATE].charAt(0),
        Long.parseLong(fields[PARENT]),
        Long.parseLong(fields[SESSION]),
        Integer.parseInt(fields[THREADS]),
        Long.parseLong(fields[START]),
        fields.length > EXIT ? Integer.parseInt(fields[EXIT]) : 0);
  }

  public boolean zombie() {
    return state == 'Z' && threads <= 1;
  }

  /** Whether nothing of it runs any more. */
  public boolean ended() {
    return zombie() || state == 'X';
  }
}
