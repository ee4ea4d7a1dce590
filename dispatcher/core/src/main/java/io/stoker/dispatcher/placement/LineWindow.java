package io.stoker.dispatcher.placement;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Chooses the part of the line that a pass reads. As long as there are not too many lines (of jobs
 * of a queue that ask for the same), it reads the first of each. Of a queue that has very many it
 * reads its front, whatever that asks for, so that priorities hold; and some lines, the next ones
 * in the next pass, so that each gets its turn, and nothing that fits waits behind what does not.
 * What a pass costs is bounded however many lines there are, and other queues notice nothing of it.
 *
 * @param deeper lines of which more than the least is read at once
 * @param many whether some queue may have very many lines
 * @param turns where it is the turn of which line, of queues with very many
 * @param lines of these queues that are read in a pass, together
 * @param whole lines that may be read in a pass, together, before turns are taken
 * @param front jobs that are read of the front of such a queue, of each kind of room
 * @param restUntil until when no more turns are taken than come by themselves, ms on any clock
 * @param goesOn whether the next turns are to be taken at once
 */
public record LineWindow(
    Map<LineKey, Integer> deeper,
    boolean many,
    Map<String, Turn> turns,
    int lines,
    int whole,
    int front,
    long restUntil,
    boolean goesOn) {
  /** Lines that are read in a pass, however many hosts there are. */
  static final int MOST_WHOLE = 512;

  static final int MOST_TURNS = 512;

  /** Turns that are taken while the front alone fills all room. */
  static final int FEWEST_TURNS = 32;

  /** Of each queue at least. */
  public static final int FEWEST_LINES = 8;

  /** Pairs of line and host that a pass looks at, as a rule. */
  static final int LOOKS = 100_000;

  /** What the decision of a pass may take; after a longer one fewer turns are taken. */
  static final long BUDGET_MS = 25;

  /** After all lines were gone through in vain, while there was room. */
  static final long REST_MS = 10_000;

  /** Jobs of fronts that a pass reads, as a rule. */
  private static final int FRONTS = 512;

  private static final int KINDS_OF_ROOM = 4;

  /** Of a replica that has read nothing yet. */
  public static final LineWindow START =
      new LineWindow(
          Map.of(),
          false,
          Map.of(),
          FEWEST_TURNS,
          MOST_WHOLE,
          Lookback.LEAST,
          Long.MIN_VALUE,
          false);

  /**
   * Where a queue's turns have come to.
   *
   * @param shape and lane: of the last line that had its turn; both empty before the first
   * @param passed lines since the first
   * @param rounds how often all have had their turn since one of them was placed that way
   */
  public record Turn(String shape, String plannedGroup, int passed, int rounds) {
    static final Turn FIRST = new Turn("", "", 0, 0);
  }

  /**
   * What a pass was.
   *
   * @param roomLeft whether there is room for anything after it
   * @param foundByTurn whether it placed a job that only its line's turn had shown
   * @param tookMs its decision
   */
  public record Outcome(boolean roomLeft, boolean foundByTurn, long tookMs) {}

  /** Lines of one queue that are read when it takes turns. */
  public int linesOfEach() {
    return Math.max(FEWEST_LINES, lines / Math.max(1, turns.size()));
  }

  /** Jobs of a queue's front, of each kind of room. */
  public int frontOfEach() {
    int share = FRONTS / (KINDS_OF_ROOM * Math.max(1, turns.size()));
    return Math.max(Lookback.FEWEST, Math.min(front, share));
  }

  /** Whether the line had to be read by turns to be read at all. */
  public boolean tooMany(LineRead read) {
    return !many && read.lines().size() >= whole;
  }

  /** The same, by turns. */
  public LineWindow byTurns() {
    return new LineWindow(Map.of(), true, turns, lines, whole, front, restUntil, goesOn);
  }

  /** What is read by the next pass before so many hosts. */
  public LineWindow before(int hosts, Map<LineKey, Integer> likely, int nextFront) {
    int most = LOOKS / Math.max(1, hosts);
    return new LineWindow(
        many ? Map.of() : likely,
        many,
        turns,
        Math.max(FEWEST_TURNS, Math.min(lines, most)),
        Math.clamp(most, FEWEST_TURNS, MOST_WHOLE),
        nextFront,
        restUntil,
        goesOn);
  }

  /**
   * What is read by the next pass.
   *
   * @param read what this one has read
   * @param now on the clock of {@link #restUntil}
   */
  public LineWindow after(LineRead read, Outcome outcome, long now) {
    if (!many) {
      return this;
    }
    Map<String, Turn> next = new HashMap<>();
    int share = shareOf(read.queues().size(), whole);
    for (String queue : read.queues()) {
      Turn turn = turns.get(queue);
      Turn following =
          turn == null
              ? begin(read.of(queue), share)
              : follow(turn, read.of(queue), share, outcome.foundByTurn());
      if (following != null) {
        next.put(queue, following);
      }
    }
    boolean again = !next.isEmpty() || read.lines().size() > whole / 2;
    boolean inVain = !next.isEmpty() && next.values().stream().allMatch(turn -> turn.rounds() >= 2);
    boolean rests = inVain && outcome.roomLeft() || now < restUntil;
    if (rests) {
      next.replaceAll(
          (queue, turn) -> new Turn(turn.shape(), turn.plannedGroup(), turn.passed(), 0));
    }
    boolean hurries = outcome.roomLeft() && !rests && !next.isEmpty();
    return new LineWindow(
        deeper,
        again,
        Map.copyOf(next),
        again ? nextLines(hurries, outcome.tookMs()) : FEWEST_TURNS,
        whole,
        front,
        inVain && outcome.roomLeft() ? now + REST_MS : restUntil,
        hurries);
  }

  private int nextLines(boolean hurries, long tookMs) {
    if (tookMs > BUDGET_MS) {
      return Math.max(FEWEST_TURNS, lines / 2);
    }
    return hurries ? Math.min(MOST_TURNS, lines * 2) : FEWEST_TURNS;
  }

  /** Lines that one of so many queues may have before turns are taken. */
  public static int shareOf(int queues, int whole) {
    return Math.max(FEWEST_LINES, whole / Math.max(1, queues));
  }

  /** A queue that was read from its first line. */
  private static Turn begin(List<LineKey> read, int share) {
    if (read.size() < share) {
      return null;
    }
    LineKey last = read.getLast();
    return new Turn(last.shape(), last.plannedGroup(), read.size(), 0);
  }

  private Turn follow(Turn turn, List<LineKey> read, int share, boolean found) {
    int rounds = found ? 0 : turn.rounds();
    int passed = turn.passed() + read.size();
    if (read.size() >= linesOfEach()) {
      LineKey last = read.getLast();
      return new Turn(last.shape(), last.plannedGroup(), passed, rounds);
    }
    return passed <= share / 2 ? null : new Turn("", "", 0, rounds + 1);
  }
}
