package io.stoker.agent.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.Properties;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.ExtLogRecord.FormatStyle;
import org.jboss.logmanager.Level;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.junit.jupiter.api.Test;

class LogLinesTest {
  private static final String FORGED = "\n2026-01-01 00:00:00.000 INFO  [a.B] forged\u001b[2J";

  @Test
  void record_ofWhatOthersWrote_isOneLineOfTheLogAndItsTrace() throws Exception {
    Properties settings = new Properties();
    try (InputStream in = LogLines.class.getResourceAsStream("/application.properties")) {
      settings.load(in);
    }
    assertThat(settings).containsEntry("quarkus.log.console.filter", LogLines.NAME);
    ExtLogRecord record =
        new ExtLogRecord(
            Level.WARN, "host %s: %d", FormatStyle.PRINTF, LogLinesTest.class.getName());
    record.setLoggerName("io.stoker.Here");
    record.setParameters(new Object[] {FORGED, 7});
    record.setThrown(new IllegalStateException(FORGED));

    assertThat(new LogLines().isLoggable(record)).isTrue();

    String said =
        new PatternFormatter(settings.getProperty("quarkus.log.console.format")).format(record);
    assertThat(said.lines().findFirst().orElseThrow())
        .contains(
            "WARN ", "[i.s.Here] host \\u000a2026", "forged\\u001b[2J: 7: java.lang.IllegalState");
    assertThat(said.lines().skip(1)).isNotEmpty().allMatch(line -> line.startsWith("\t"));
    assertThat(said).contains("LogLinesTest.record_").doesNotContain("\u001b").endsWith("\n");
  }
}
