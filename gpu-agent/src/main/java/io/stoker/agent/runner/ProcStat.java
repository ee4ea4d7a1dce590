package io.stoker.agent.runner;

/**
 * What {@code /proc/<pid>/stat} says of a process.
 *
 * @param state one letter, such as R, S, T, Z
 * @param session id of its session
 * @param startTicks when it started, in clock ticks since boot
 */
record ProcStat(char state, long session, long startTicks) {
  private static final int STATE = 0;
  private static final int SESSION = 3;
  private static final int START = 19;

  /** The program's name stands in parentheses and may itself hold blanks and parentheses. */
  static ProcStat parse(String line) {
    String[] fields = line.substring(line.lastIndexOf(')') + 2).trim().split(" ");
    return new ProcStat(
        fields[STATE].charAt(0), Long.parseLong(fields[SESSION]), Long.parseLong(fields[START]));
  }
}
