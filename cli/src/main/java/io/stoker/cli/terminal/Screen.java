package io.stoker.cli.terminal;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * A whole terminal that is drawn again and again. What was on it before is there again once it is
 * closed.
 */
public final class Screen implements AutoCloseable {
  /** To the alternate screen, and the cursor hidden. */
  private static final String ENTER = "\u001b[?1049h\u001b[?25l";

  private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
  private static final String HOME = "\u001b[H";
  private static final String ERASE_LINE = "\u001b[K";
  private static final String ERASE_BELOW = "\u001b[J";
  private static final int USUAL_ROWS = 24;

  private final PrintWriter out;

  public Screen(PrintWriter out) {
    this.out = out;
    out.print(ENTER);
    out.flush();
  }

  /**
   * Shows a picture in one piece, so that nothing flickers, and no more of it than there is room.
   */
  public void draw(String picture) {
    out.print(HOME);
    picture
        .lines()
        .limit(Math.max(1, rows() - 1))
        .forEach(line -> out.print(line + ERASE_LINE + "\n"));
    out.print(ERASE_BELOW);
    out.flush();
  }

  private static int rows() {
    return rows(size());
  }

  /** Characters in a line of this terminal, if it tells. */
  static OptionalInt columns() {
    String[] words = size().strip().split(" ");
    boolean numbers = words.length == 2 && words[1].matches("[1-9]\\d{0,4}");
    return numbers ? OptionalInt.of(Integer.parseInt(words[1])) : OptionalInt.empty();
  }

  /** The terminal knows; nobody tells a JVM. */
  private static String size() {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File("/dev/tty"))
              .redirectErrorStream(true)
              .start();
      String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      stty.waitFor(1, TimeUnit.SECONDS);
      return answer;
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  /** Of {@code rows columns}; as many as usual where that is not what it says. */
  static int rows(String size) {
    String[] words = size.strip().split(" ");
    boolean numbers = words.length == 2 && words[0].matches("[1-9]\\d{0,4}");
    return numbers ? Integer.parseInt(words[0]) : USUAL_ROWS;
  }

  @Override
  public void close() {
    out.print(LEAVE);
    out.flush();
  }
}
