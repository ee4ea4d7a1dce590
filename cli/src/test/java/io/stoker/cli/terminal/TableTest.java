package io.stoker.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.terminal.Table.Cell;
import io.stoker.cli.testing.Screen;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class TableTest {
  private final Screen screen = new Screen();

  @Test
  void alignsTextLeftAndNumbersRight() {
    new Table("ID", "SCORE", "NOTE")
        .row("a", 0.5, "first")
        .row("longer", 12, "second")
        .print(screen.plain());

    assertThat(screen.out())
        .isEqualTo(
            """
            ID      SCORE  NOTE
            a         0.5  first
            longer     12  second
            """);
  }

  @Test
  void leavesOutWhatIsEmptyInEveryRow() {
    new Table("ID", "HOST", "NOTE").row("a", null, "x").row("b", "", "").print(screen.plain());

    assertThat(screen.out()).isEqualTo("ID  NOTE\na   x\nb\n");
  }

  @Test
  void theWidestTextsAreCutToTheLineAndNumbersAreNot() {
    new Table("ID", "SCORE", "NOTE")
        .row("train-1234", 123456789, "a long sentence about what happened")
        .print(screen.plain(), OptionalInt.of(40));

    assertThat(screen.out())
        .isEqualTo(
            """
            ID              SCORE  NOTE
            train-1234  123456789  a long sentence…
            """);
  }

  @Test
  void whatNamesTheRowIsCutLast_andLesserColumnsAreLeftOutBefore() {
    Table table =
        new Table("ID", "QUEUE", "USER", "NOTE")
            .lesser("USER", "QUEUE")
            .row("train-1234-5678", "vision-research", "somebody", "a sentence about it");

    table.print(screen.plain(), OptionalInt.of(50));
    table.print(screen.plain(), OptionalInt.of(40));
    table.print(screen.plain(), OptionalInt.of(22));

    assertThat(screen.out())
        .isEqualTo(
            """
            ID               QUEUE       USER      NOTE
            train-1234-5678  vision-re…  somebody  a sentence…
            ID               QUEUE       NOTE
            train-1234-5678  vision-re…  a sentence…
            ID          NOTE
            train-123…  a sentenc…
            """);
    assertThat(screen.err())
        .contains("no room for USER: -o wide shows all")
        .contains("no room for QUEUE, USER: -o wide shows all");
  }

  /** They take two columns each; of an emoji no half is left. */
  @Test
  void wideCharactersMoveNoColumn() {
    new Table("QUEUE", "STATE")
        .row("視覚研究", "RUNNING")
        .row("vision", "QUEUED")
        .print(screen.plain());

    assertThat(screen.out())
        .isEqualTo(
            """
            QUEUE     STATE
            視覚研究  RUNNING
            vision    QUEUED
            """);
    assertThat(Format.TABLE.cut("研究@研究", 7)).isEqualTo("研究@…");
    assertThat(Format.TABLE.cut("fit 🚀🚀🚀", 8)).isEqualTo("fit 🚀…");
  }

  @Test
  void cell_withWhatATerminalObeys_isShownAsText() {
    new Table("ID", "COMMAND")
        .row("a", "\u001b]0;mine\u0007\u001b[2J\n\rb  QUEUED\u009b1m")
        .row("c", new Cell("\u001b[31m", Style.PLAIN))
        .print(screen.plain());

    assertThat(screen.out())
        .doesNotContain("\u001b", "\u0007", "\r", "\u009b")
        .contains("\\u001b[2J \\u000db  QUEUED")
        .hasLineCount(3);
  }

  @Test
  void coloursDoNotMoveColumns() {
    new Table("STATE", "ID").row(new Cell("OK", Style.GOOD), "a").print(screen.coloured());

    assertThat(screen.out())
        .isEqualTo("\u001b[1mSTATE\u001b[0m  \u001b[1mID\u001b[0m\n\u001b[32mOK\u001b[0m     a\n");
  }

  @Test
  void withoutRowsThereAreHeadings() {
    new Table("ID", "NOTE").print(screen.plain());

    assertThat(screen.out()).isEqualTo("ID  NOTE\n");
  }

  @Test
  void refusesARowOfAnotherWidth() {
    assertThatThrownBy(() -> new Table("ID").row("a", "b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 values for 1 columns");
  }
}
