package io.stoker.dispatcher.service.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.json.Json;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.HostEvent;
import io.stoker.dispatcher.report.GroupFacts;
import io.stoker.dispatcher.report.GroupFacts.Item;
import io.stoker.dispatcher.service.page.Now.Since;
import io.stoker.dispatcher.service.page.Tallies.Tally;
import io.stoker.dispatcher.service.rest.DetailsView;
import io.stoker.dispatcher.service.rest.Explanation;
import io.stoker.dispatcher.service.rest.GroupView;
import io.stoker.dispatcher.service.rest.HostView;
import io.stoker.dispatcher.service.rest.HostsResource;
import io.stoker.dispatcher.service.rest.HostsResource.Fleet;
import io.stoker.dispatcher.service.rest.KindsResource.Configured;
import io.stoker.dispatcher.service.rest.KindsResource.InForce;
import io.stoker.dispatcher.service.rest.ListResource;
import io.stoker.dispatcher.service.rest.ListResource.Counted;
import io.stoker.dispatcher.service.rest.ListResource.Grouped;
import io.stoker.dispatcher.service.testing.FakeAgent;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What pages show of more than a test can have run. */
@QuarkusTest
@OnRealServices
class ViewsTest {
  private static final String AT = "2026-01-31T12:00:00Z";
  private static final Viewer ME = new Viewer(null, true, true, "key", "/");

  private static RequestStatus status(RequestState state) throws Exception {
    String text =
        "{\"id\":\"a\",\"state\":\"%s\",\"version\":1,\"queue\":\"default\",\"postedAt\":\"%s\",\"at\":\"%2$s\"}"
            .formatted(state, AT);
    return Json.read(Json.read(text), RequestStatus.class);
  }

  @Test
  void kinds_leadToTheirJobs() {
    Configured kind = new Configured("a b", JsonNodeFactory.instance.objectNode(), null);
    assertThat(Views.kinds(ME, new InForce(1, List.of(kind))).render())
        .contains("href=\"/requests?kind=a%20b\"");
  }

  /** Each has a score and two parameters more than are drawn. */
  private static GroupPageView sweep(int looked, long total) {
    List<Item> items = IntStream.range(0, looked).mapToObj(ViewsTest::item).toList();
    GroupFacts facts =
        new GroupFacts(
            "g",
            "OPEN",
            "max",
            null,
            null,
            null,
            total,
            total,
            0,
            0,
            0,
            null,
            1,
            items,
            total - looked);
    GroupView group =
        new GroupView(
            "g",
            GroupView.State.OPEN,
            total,
            0,
            0,
            0,
            total,
            0,
            0,
            total,
            1,
            AT,
            null,
            "00:00:01",
            null,
            null);
    return GroupPageView.of(group, facts);
  }

  private static Item item(int n) {
    String params =
        IntStream.range(0, 14)
            .mapToObj(p -> "\"p%d\":%d".formatted(p, n))
            .collect(Collectors.joining(",", "{", "}"));
    return new Item(
        "r" + n,
        RequestState.SUCCEEDED,
        null,
        null,
        n / 10.0,
        "h",
        List.of(),
        1,
        0,
        false,
        false,
        0,
        1L,
        2L,
        null,
        params);
  }

  @Test
  void sweep_ofMoreThanIsLookedAt_saysSoAboveEachPart() {
    String page = Views.group(ME, sweep(3, 5_000)).render();
    String cut = "of the first 3 of 5,000 jobs; the report has all";
    assertThat(page.split(cut, -1)).hasSize(4);
    assertThat(page).contains("12 of 14 parameters");
    assertThat(Views.group(ME, sweep(3, 50_000)).render())
        .contains("of the first 3 of 50,000 jobs; the report has the first 20,000");
    assertThat(Views.group(ME, sweep(3, 3)).render()).doesNotContain("of the first");
  }

  @Test
  void place_thatWasCountedNoFurther_saysSo() throws Exception {
    RequestStatus queued = status(RequestState.QUEUED);
    for (boolean atLeast : new boolean[] {true, false}) {
      Explanation.Line line = new Explanation.Line("default", 10_001, atLeast, 0, List.of());
      Explanation why =
          new Explanation(
              "a",
              RequestState.QUEUED,
              null,
              "NO_ROOM",
              "waits",
              null,
              null,
              line,
              List.of(),
              null,
              null,
              null);
      DetailsView details =
          new DetailsView(
              queued, null, AT, List.of(), List.of(), null, null, List.of(), null, null);
      assertThat(Views.job(ME, JobView.of(details, why, List.of())).render())
          .contains(
              atLeast ? "Place 10,001 or more of queue default" : "Place 10,001 of queue default");
    }
  }

  @Test
  void now_ofMoreThatRunThanAreShown_leadsToAll() throws Exception {
    Tally none = new Tally(List.of(), false, null);
    for (boolean more : new boolean[] {true, false}) {
      Now now =
          Now.of(
              new Fleet(List.of(), List.of()),
              List.of(),
              none,
              none,
              new Jobs(List.of(status(RequestState.RUNNING)), more),
              List.of(),
              new Since(AT, false),
              AT);
      String link = "there are more: <a href=\"/requests?state=RUNNING\">all that run</a>";
      String page = Views.now(ME, now).render();
      assertThat(page.contains(link)).isEqualTo(more);
    }
  }

  @Test
  void now_whilePostgresIsAway_saysSoAndNothingElse() {
    Now now =
        Now.unknown(
            "the database cannot be reached; try again",
            List.of(new Now.Trouble(null, "kafka", "away, too")),
            new Since(AT, false));
    assertThat(Views.now(ME, now).render())
        .contains("2 things need a look", "the database cannot be reached", "away, too")
        .doesNotContain("All is well", "Hosts usable", "Nothing runs");
  }

  private static String jobs(String parameter, String value, ListResource.Listed found) {
    JobsQuery query = JobsQuery.of(Map.of(parameter, List.of(value)));
    return Views.jobs(ME, query, found).render();
  }

  @Test
  void jobs_countedUpToALimit_saySo() {
    List<Counted> counts = List.of(new Counted("a", 10_000, "x"), new Counted("b", 9_999, "y"));
    Grouped grouped = new Grouped("queue", counts, true, false, 7_500);
    assertThat(jobs("by", "queue", new ListResource.Listed(List.of(), null, grouped, null, null)))
        .contains(
            ">10,000+<",
            ">9,999<",
            "The newest 7,500 were looked at; there are more.",
            "The 200 most frequent are shown; there are others.");
  }

  @Test
  void jobs_ofATextThatNoneOfThoseLookedAtHas_sayHowFarItWasLooked() {
    assertThat(jobs("text", "x", new ListResource.Listed(List.of(), "next", null, null, 100_000)))
        .contains("None of the 100,000 that were looked at behind this place fits", "after=next");
    assertThat(jobs("text", "x", new ListResource.Listed(List.of(), null, null, null, 7)))
        .contains("None fits.")
        .doesNotContain("Look further back");
  }

  private static DeviceInfo gpu(String state) {
    return new DeviceInfo("0", "GPU-0", "fake", 1L << 33, "9.0", state, "Xid 79");
  }

  @Test
  void host_ofMoreThanIsShown_leadsToAll() throws Exception {
    HostView.Reserved reserved = new HostView.Reserved("big <b>", "job", "q", 2, 0, AT);
    HostView view =
        new HostView(
            "h 1",
            "default",
            new HostView.Condition("UP", true, true, false, false, null, null),
            new HostView.Agent(1, "1", null),
            FakeAgent.resources("h 1", 8, List.of(gpu("OK"), gpu("UNHEALTHY")), null),
            new HostView.Room(0, 8, 0, null, 1, null, List.of(reserved)),
            List.of(),
            null,
            null,
            null);
    Jobs some = new Jobs(List.of(status(RequestState.RUNNING)), true);
    HostCard card = HostCard.of(view, List.of(), Map.of());
    String all = "there are more: <a href=\"/requests?host=h%201";
    List<HostsResource.Event> events =
        List.of(
            new HostsResource.Event(AT, HostEvent.What.GPU_UNHEALTHY, "GPU-1: <b>Xid 79"),
            new HostsResource.Event(AT, null, null));
    assertThat(Views.host(ME, card, true, some, events).render())
        .contains(all + "&amp;state=PLACED,RUNNING\">", all + "\">")
        .contains("Reserved for <a class=\"id\" href=\"/requests/big%20%3Cb%3E\">big &lt;b&gt;</a>")
        .contains("waited for 2 GPUs", "gpu g-reserved", "gpu g-unwell")
        .contains("<td>GPU unhealthy</td><td>GPU-1: &lt;b&gt;Xid 79</td>", "<td>?</td><td></td>");
    assertThat(Views.host(ME, card, false, new Jobs(List.of(), false), List.of()).render())
        .doesNotContain("there are more")
        .contains("Nothing is noted");
  }
}
