package io.stoker.dispatcher.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.report.GroupFacts.Item;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class HtmlReportTest {
  private static final long START = 1_700_000_000_000L;
  private static final String EVIL = "</title><script>alert(\"1\")</script>&'\u0001";

  @Test
  void countsAndTimesAreThoseOfTheGroup() {
    String page = HtmlReport.of(facts("lr", 24));

    assertThat(page).contains("24 total, 22 successful, 1 failed, 1 cancelled, 00:00:12.345");
    assertThat(page).contains("<th>Waited</th><th>Ran</th>");
    assertThat(page).contains("highest score by lr-22").contains("FINISHED");
    assertThat(page).contains("<svg").contains("GPU-0").contains("EARLY_STOPPED: worse");
    assertThat(page.split("<tr>|<tr class").length - 1).isEqualTo(25);
    assertThat(page.split("<circle").length - 1).isEqualTo(22);
  }

  @Test
  void whatIsLongIsShownSoThatALineCanEndAndDevicesAreToldApart() {
    GroupFacts facts = facts("lr", 4);
    List<Item> items = new ArrayList<>(facts.requests());
    for (int i = 0; i < 2; i++) {
      Item was = items.get(i);
      items.set(
          i,
          ran(
              was,
              "gpu-box-1",
              List.of("GPU-7f6c9c7e-1111-2222-3333-44445555000" + i),
              peaks(1L << 30, (5L << 30) + i),
              "{\"lr\":0.5,\"schedule\":{\"kind\":\"cosine\"},\"optimiser\":\"adam\"}"));
    }

    String page = HtmlReport.of(with(facts, items));

    assertThat(page)
        .contains("lr=0.5, schedule={&quot;kind&quot;:&quot;cosine&quot;}, optimiser=adam");
    assertThat(page).contains("gpu-box-1 GPU-7f6…550000<").contains("gpu-box-1 GPU-7f6…550001<");
    assertThat(page).contains("Peaks of memory in GiB").contains("5 GiB of gpu memory");
    assertThat(page).contains("from 2023-11-14 22:13:20 UTC");
  }

  private static Usage peaks(long host, long gpu) {
    return new Usage(null, null, host, gpu);
  }

  /** The same, which ran somewhere else and took something else. */
  private static Item ran(Item was, String host, List<String> devices, Usage usage, String params) {
    return new Item(
        was.id(),
        was.state(),
        null,
        null,
        was.score(),
        host,
        devices,
        1,
        0,
        false,
        false,
        START,
        was.startedAt(),
        was.endedAt(),
        usage,
        params);
  }

  /** What it waits for memory and for a device is in neither. */
  @Test
  void stagedJobsShowHowLongTheyLoadedAndTrained() {
    GroupFacts facts = facts("lr", 3);
    List<Item> items = new ArrayList<>(facts.requests());
    Item was = items.getFirst();
    Usage usage =
        new Usage(9_000L, null, null, null, null, null, null, null, 1_500L, 62_000L, null, null);
    items.set(0, ran(was, "h1", List.of("GPU-0"), usage, null));
    GroupFacts staged = with(facts, items);

    assertThat(HtmlReport.of(staged))
        .contains("<th>Ran</th><th>Loaded</th><th>Trained</th><th>Host</th>")
        .contains("<td class=\"number\">00:00:01.500</td><td class=\"number\">00:01:02.000</td>");
    assertThat(HtmlReport.of(facts)).contains("<th>Ran</th><th>Host</th>");
    assertThat(CsvReport.of(staged).lines())
        .anySatisfy(line -> assertThat(line).endsWith(",00:00:01.500,00:01:02.000"));
    JsonNode json = Json.tree(staged).path("requests");
    assertThat(json.get(0).path("loadMs").asLong()).isEqualTo(1_500);
    assertThat(json.get(0).path("trainMs").asLong()).isEqualTo(62_000);
    assertThat(json.get(0).has("usage")).isFalse();
    assertThat(json.get(1).path("peakMemory").isNumber()).isTrue();
    assertThat(json.get(1).path("peakGpuMemory").isNumber()).isTrue();
  }

  private static GroupFacts with(GroupFacts facts, List<Item> items) {
    return new GroupFacts(
        facts.name(),
        facts.state(),
        facts.objective(),
        facts.reason(),
        facts.best(),
        facts.bestScore(),
        facts.total(),
        facts.succeeded(),
        facts.failed(),
        facts.cancelled(),
        facts.startedAt(),
        facts.endedAt(),
        facts.now(),
        items,
        facts.left());
  }

  @Test
  void everythingIsEscaped() throws Exception {
    Item item =
        new Item(
            EVIL,
            RequestState.SUCCEEDED,
            Code.CANCELLED,
            EVIL,
            1.0,
            EVIL,
            List.of(EVIL),
            1,
            0,
            false,
            false,
            START,
            START + 1,
            START + 2,
            peaks(5L, 6L),
            EVIL);
    GroupFacts facts =
        new GroupFacts(
            EVIL,
            "FINISHED",
            "max",
            EVIL,
            EVIL,
            1.0,
            1,
            1,
            0,
            0,
            START,
            START + 9,
            START + 10,
            List.of(item),
            0);

    String page = HtmlReport.of(facts);

    assertThat(page).doesNotContain("<script").doesNotContain("\u0001");
    assertThat(wellFormed(page).getElementsByTagName("script").getLength()).isZero();
  }

  @Test
  void needsNothingButItself() {
    String page = HtmlReport.of(facts("lr", 24));

    assertThat(page).doesNotContainPattern("(src|href|url)\\s*[=(]").doesNotContain("http://");
    assertThat(page).contains("default-src 'none'");
  }

  @Test
  void anEmptyGroupHasAPage() throws Exception {
    GroupFacts facts =
        new GroupFacts(
            "empty", "ENDED", null, null, null, null, 0, 0, 0, 0, START, START, START, List.of(),
            0);

    String page = HtmlReport.of(facts);

    assertThat(page).contains("0 total, 0 successful, 0 failed, 00:00:00.000");
    assertThat(page).doesNotContain("<svg");
    wellFormed(page);
  }

  @Test
  void equalScoresAndOneInstantAreDrawn() throws Exception {
    Item one = item("one", RequestState.SUCCEEDED, 3.0, START, START);
    GroupFacts facts =
        new GroupFacts(
            "one",
            "FINISHED",
            "min",
            null,
            "one",
            3.0,
            1,
            1,
            0,
            0,
            START,
            START,
            START,
            List.of(one),
            0);

    assertThat(HtmlReport.of(facts)).doesNotContain("NaN").doesNotContain("Infinity");
    wellFormed(HtmlReport.of(facts));
  }

  @Test
  void csvHasALineARequest() {
    List<String> lines = CsvReport.of(facts("lr", 24)).lines().toList();

    assertThat(lines).hasSize(25);
    assertThat(lines.get(1))
        .startsWith(
            "lr-1,SUCCEEDED,,0.01,00:00:01.000,h1,GPU-0,1,0,false,false,2023-11-14T22:13:20Z");
  }

  @Test
  void csvQuotesAndMakesNoFormulas() {
    Item item =
        new Item(
            "=1+1",
            RequestState.FAILED,
            null,
            "a \"b\", c\nd",
            -0.5,
            "-h",
            null,
            1,
            1,
            false,
            false,
            START,
            null,
            null,
            null,
            "{\"a\":1,\"b\":2}");
    GroupFacts facts =
        new GroupFacts(
            "x", "OPEN", null, null, null, null, 1, 0, 1, 0, START, null, START, List.of(item), 0);

    assertThat(CsvReport.of(facts))
        .contains("'=1+1,FAILED,,-0.5,,'-h,")
        .contains("\"{\"\"a\"\":1,\"\"b\"\":2}\",\"a \"\"b\"\", c\nd\"");
  }

  /** The page is XML but for its first line and the tags that HTML leaves open. */
  private static Document wellFormed(String page) throws Exception {
    String xml = page.replace("<!DOCTYPE html>", "").replaceAll("<meta([^>]*)>", "<meta$1/>");
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
  }

  /** All but the last two succeed. */
  static GroupFacts facts(String name, int count) {
    List<Item> items = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      RequestState state =
          i == count
              ? RequestState.CANCELLED
              : i == count - 1 ? RequestState.FAILED : RequestState.SUCCEEDED;
      items.add(item(name + "-" + i, state, i / 100.0, START + i * 400L, START + i * 500L + 500));
    }
    return new GroupFacts(
        name,
        "FINISHED",
        "max",
        null,
        name + "-" + (count - 2),
        (count - 2) / 100.0,
        count,
        count - 2,
        1,
        1,
        START,
        START + 12_345,
        START + 20_000,
        items,
        0);
  }

  private static Item item(String id, RequestState state, Double score, long start, long end) {
    boolean good = state == RequestState.SUCCEEDED;
    return new Item(
        id,
        state,
        state == RequestState.CANCELLED ? Code.EARLY_STOPPED : null,
        good ? null : "worse",
        good ? score : null,
        "h1",
        List.of("GPU-0"),
        1,
        good ? 0 : 1,
        false,
        false,
        START,
        start,
        end,
        peaks((100L + end % 50) << 20, (500L + end % 300) << 20),
        "{\"lr\":" + score + "}");
  }
}
