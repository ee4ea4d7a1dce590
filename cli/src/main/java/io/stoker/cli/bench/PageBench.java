package io.stoker.cli.bench;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.Fleet;
import io.stoker.cli.terminal.ProgressLine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Asks for every view of the page, again and again, one after the other, while there are very many
 * requests, more come in steadily, and full virtual hosts end 50 jobs a second.
 */
final class PageBench {
  private static final int HOSTS = 100;
  private static final int PER_SECOND = 500;
  private static final int PER_RECORD = 500;

  /** How often each form of each view is asked for, if that does not take too long. */
  private static final int TIMES = 100;

  /** The end of a job and the next one's: what is measured is the page, and not placement. */
  private static final Duration APART = Duration.ofMillis(20);

  private static final Duration LONGEST = Duration.ofMinutes(10);

  private static final Duration ANSWER = Duration.ofSeconds(30);

  /** What is refused is no request of a list. */
  private static final Load.Arrival TAKEN = record -> !Load.isTerminal(record);

  private static final String NOTHING = "nothing: an id that nobody has";
  private static final int OK = 200;

  /** What the requests' queues are configured by. */
  static Map<String, String> environment() {
    Map<String, String> variables = new HashMap<>();
    Requests.queues()
        .map(name -> name.toUpperCase(Locale.ROOT))
        .forEach(name -> variables.put("STOKER_QUEUES_%s_OPEN".formatted(name), "true"));
    return variables;
  }

  private final Target target;
  private final int warmUp;
  private final ProgressLine progress;
  private final Map<String, Long> unanswered = new LinkedHashMap<>();

  /**
   * @param warmUp how often each view is asked for before it is measured
   */
  PageBench(Target target, int warmUp, ProgressLine progress) {
    this.target = target;
    this.warmUp = warmUp;
    this.progress = progress;
  }

  /**
   * @param secret the stack's, of which the virtual hosts' keys are derived
   * @param jobs that there are first
   */
  BenchReport run(byte[] secret, int jobs) throws InterruptedException {
    long start = System.nanoTime();
    Requests requests = Requests.mixed("page");
    try (VirtualFleet hosts = VirtualFleet.start(target, secret, HOSTS)) {
      String middle = fill(requests, jobs);
      hosts.check();
      hosts.endApart(APART);
      PageFigures figures;
      try (SteadyLoad load = new SteadyLoad(target, requests, PER_SECOND, id -> {})) {
        Map<String, String> views = views(requests, middle);
        ask("warming up", views, warmUp);
        unanswered.clear();
        Map<String, PageFigures.View> measured = ask("page", views, TIMES);
        hosts.check();
        double rate = load.rate();
        String last = load.stop();
        figures =
            new PageFigures(
                jobs, PER_SECOND, Rounded.tenths(rate), behind(last), measured, unanswered);
      }
      BenchReport report = new BenchReport("page", jobs, Rounded.secondsSince(start));
      report.page = figures;
      return report;
    }
  }

  /** Posts them in two halves. Returns the moment at which the first of them was there. */
  private String fill(Requests requests, int jobs) {
    Load load = new Load(target, requests, progress, PER_RECORD);
    try (Cordoned nobodyRunsThem = Cordoned.all(new Fleet(target.rest()))) {
      load.post("page, posting", jobs / 2, TAKEN);
      String middle = Instant.now().toString();
      load.post("page, posting the others", jobs - jobs / 2, TAKEN);
      return middle;
    }
  }

  /** Their addresses, by what they show. */
  private static Map<String, String> views(Requests requests, String middle) {
    String first = requests.id(0);
    Map<String, String> views = new LinkedHashMap<>();
    views.put(NOTHING, "/requests/bench-none");
    views.put("now", "/");
    views.put("fleet", "/hosts");
    views.put("host", "/hosts/virtual-1");
    views.put("queues", "/queues");
    views.put("pools", "/pools");
    views.put("kinds", "/kinds");
    views.put("groups", "/groups");
    views.put("group", "/groups/group-1");
    views.put("dead letters", "/dead-letters");
    views.put("job", "/requests/" + first);
    String list = "/requests";
    views.put("jobs", list);
    for (String state :
        new String[] {"WAITING", "QUEUED", "PLACED,RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"}) {
      views.put("state=" + state, list + "?state=" + state);
    }
    for (String filter :
        new String[] {
          "queue=queue1",
          "queue=rare",
          "queue=none",
          "group=group-1",
          "group=rare",
          "host=virtual-1",
          "user=user-1",
          "label=team%3Dteam-1",
          "label=team%3Drare",
          "kind=command",
          "kind=none",
          "code=APP_FAILURE",
          "code=UNSATISFIABLE&state=QUEUED",
          "failing=true",
          "text=false",
          "text=nowhere-to-be-found",
          "prefix=" + first,
          "prefix=nobody",
          "since=" + middle,
          "until=" + middle,
          "endedSince=" + middle,
          "state=FAILED&queue=queue7&user=user-7",
          "until=" + middle + "&text=nowhere-to-be-found",
          "limit=1000"
        }) {
      views.put(filter, list + "?" + filter);
    }
    for (String column :
        new String[] {"posted", "-started", "-ended", "-duration", "-attempts", "-priority"}) {
      views.put("sort=" + column, list + "?sort=" + column);
    }
    for (String column : new String[] {"state", "queue", "group", "kind", "host", "user", "code"}) {
      views.put("by=" + column, list + "?by=" + column);
    }
    views.put("by=state&queue=queue1", list + "?by=state&queue=queue1");
    views.put("by=state&queue=rare", list + "?by=state&queue=rare");
    views.put("by=state&group=group-1", list + "?by=state&group=group-1");
    views.put("by=host&state=FAILED", list + "?by=host&state=FAILED");
    return views;
  }

  private Map<String, PageFigures.View> ask(String what, Map<String, String> views, int times) {
    Map<String, List<Double>> json = new LinkedHashMap<>();
    Map<String, List<Double>> html = new LinkedHashMap<>();
    views.keySet().forEach(name -> json.put(name, new ArrayList<>()));
    views.keySet().forEach(name -> html.put(name, new ArrayList<>()));
    long start = System.nanoTime();
    for (int i = 0; i < times && System.nanoTime() - start < LONGEST.toNanos(); i++) {
      progress.update("%s: round %d of %d".formatted(what, i + 1, times));
      for (Map.Entry<String, String> view : views.entrySet()) {
        json.get(view.getKey()).add(millis(view.getKey(), view.getValue(), "application/json"));
        html.get(view.getKey()).add(millis(view.getKey(), view.getValue(), "text/html"));
      }
    }
    Map<String, PageFigures.View> figures = new LinkedHashMap<>();
    if (times > 0) {
      json.forEach(
          (name, all) ->
              figures.put(
                  name,
                  new PageFigures.View(
                      all.size(), Percentiles.of(all), Percentiles.of(html.get(name)))));
    }
    return figures;
  }

  private double millis(String name, String path, String form) {
    long start = System.nanoTime();
    int status = target.rest().status(path, form);
    double millis = (System.nanoTime() - start) / 1e6;
    if (status != OK && !name.equals(NOTHING)) {
      unanswered.merge(name, 1L, Long::sum);
    }
    return millis;
  }

  /** Seconds from now until it is there. */
  private double behind(String id) throws InterruptedException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < ANSWER.toNanos()) {
      if (target.rest().status("/requests/" + id, "application/json") == OK) {
        return Rounded.secondsSince(start);
      }
      Thread.sleep(10);
    }
    throw CliException.failed("%s was not taken in within %s".formatted(id, ANSWER));
  }
}
