package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.testing.Screen;
import io.stoker.common.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ExplanationPrinterTest {
  private final Screen screen = new Screen();

  @Test
  void aJobInLineShowsItsPlaceWhenItStartsAndWhatHostsSay() throws Exception {
    print(
        """
        {"id":"a","state":"QUEUED","label":"NO_ROOM","sentence":"none has 2 GPU(s) free",
         "reason":"killed; attempt 2 follows",
         "line":{"queue":"vision","place":4,"atLeast":false,"ahead":["x","y"]},
         "expected":{"at":1,"inMs":185400,"sentence":"its queue has started 12 jobs"},
         "hosts":[{"host":"h1","obstacle":"BUSY","sentence":"has 1 of 2 GPU(s) free"},
                  {"host":"host-2","sentence":"could take it now"}]}
        """);

    assertThat(screen.out())
        .isEqualTo(
            """
            a QUEUED: none has 2 GPU(s) free
            before: killed; attempt 2 follows
            queue vision: place 4; before it: x, y, ...
            expected to start in about 3 min: its queue has started 12 jobs
            HOST    OBSTACLE  WHY
            h1      BUSY      has 1 of 2 GPU(s) free
            host-2  -         could take it now
            """);
  }

  @Test
  void whatIsNotKnownIsLeftOut() throws Exception {
    print("{\"id\":\"a\",\"state\":\"RUNNING\",\"sentence\":\"runs on host h\"}");
    print(
        "{\"id\":\"b\",\"state\":\"RUNNING\",\"sentence\":\"s\",\"memory\":{\"sentence\":\"3 GiB\"},"
            + "\"hostMemory\":{\"sentence\":\"9 GiB\"}}");

    assertThat(screen.out())
        .isEqualTo(
            "a RUNNING: runs on host h\nb RUNNING: s\nGPU memory: 3 GiB\nhost memory: 9 GiB\n");
  }

  @Test
  void theFirstInLineHasNobodyBeforeIt() throws Exception {
    print(
        """
        {"id":"a","state":"QUEUED","sentence":"s","line":{"queue":"q","place":1,"ahead":[]},
         "expected":{"inMs":119000,"sentence":"t"}}
        """);

    assertThat(screen.out())
        .isEqualTo("a QUEUED: s\nqueue q: place 1\nexpected to start in about 119 s: t\n");
  }

  @Test
  void whatATerminalWouldObeyIsShown() throws Exception {
    print(
        """
        {"id":"a","state":"QUEUED","sentence":"\\u001bc","reason":"\\u009b2J",
         "line":{"queue":"q","place":2,"ahead":["\\u001b[2J"]}}
        """);

    assertThat(screen.out())
        .isEqualTo(
            "a QUEUED: \\u001bc\nbefore: \\u009b2J\nqueue q: place 2; before it: \\u001b[2J\n");
  }

  private void print(String json) throws Exception {
    JsonNode why = Json.read(json.getBytes(StandardCharsets.UTF_8), JsonNode.class);
    new ExplanationPrinter(screen.plain()).print(why);
  }
}
