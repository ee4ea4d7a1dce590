package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AuditEntry;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditCommandTest {
  @Test
  void line_ofAnEntry_controlsNoTerminal() {
    AuditEntry call =
        new AuditEntry(
            "2026-01-31T12:00:00Z",
            null,
            "10.0.0.7",
            "rest",
            "POST /groups/\u001b[2J",
            List.of("a", "b"),
            null,
            "202",
            null);

    assertThat(AuditCommand.line(call))
        .isEqualTo("2026-01-31T12:00:00Z  -  10.0.0.7  POST /groups/\\u001b[2J  202  a b");
  }

  @Test
  void line_ofAMessageThatWasRefused_saysWhy() {
    AuditEntry message =
        new AuditEntry(
            "2026-01-31T12:00:00.123456789Z",
            "ann",
            null,
            "stoker.control",
            "priority a 9999",
            null,
            "m-1",
            "refused",
            "priority: 9999");

    assertThat(AuditCommand.line(message))
        .isEqualTo(
            "2026-01-31T12:00:00.123Z  ann  stoker.control  priority a 9999  refused  priority:"
                + " 9999");
  }
}
