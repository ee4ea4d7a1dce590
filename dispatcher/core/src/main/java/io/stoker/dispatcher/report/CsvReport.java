package io.stoker.dispatcher.report;

import io.stoker.dispatcher.report.GroupFacts.Item;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Collectors;

/** A group's requests as a table for other programs (RFC 4180). */
public final class CsvReport {
  private static final String HEADINGS =
      "id,state,code,score,time,host,devices,attempt,exitCode,shared,cached,arrivedAt,startedAt,"
          + "endedAt,peakMemory,peakGpuMemory,params,reason,loadTime,trainTime";

  private CsvReport() {}

  /** One line of headings, and one a request. */
  public static String of(GroupFacts facts) {
    StringBuilder csv = new StringBuilder(HEADINGS).append("\r\n");
    facts.requests().forEach(item -> csv.append(line(item)).append("\r\n"));
    return csv.toString();
  }

  private static String line(Item item) {
    Object[] fields = {
      item.id(),
      item.state(),
      item.code(),
      item.score(),
      clock(item.took()),
      item.host(),
      item.devices() == null ? null : String.join(" ", item.devices()),
      item.attempt(),
      item.exitCode(),
      item.shared(),
      item.cached(),
      instant(item.arrivedAt()),
      instant(item.startedAt()),
      instant(item.endedAt()),
      item.peakMemory(),
      item.peakGpuMemory(),
      item.params(),
      item.reason(),
      clock(item.loaded()),
      clock(item.trained())
    };
    return Arrays.stream(fields).map(CsvReport::field).collect(Collectors.joining(","));
  }

  private static String clock(Long ms) {
    return ms == null ? null : Times.clock(ms);
  }

  private static Instant instant(Long ms) {
    return ms == null ? null : Instant.ofEpochMilli(ms);
  }

  private static String field(Object value) {
    if (value == null) {
      return "";
    }
    String text = value.toString();
    // What a spreadsheet would take for a formula stays a text.
    boolean formula = !(value instanceof Number) && text.matches("(?s)[=+@\\-\\t\\r].*");
    String plain = formula ? "'" + text : text;
    return plain.matches("(?s).*[\",\r\n].*") ? '"' + plain.replace("\"", "\"\"") + '"' : plain;
  }
}
