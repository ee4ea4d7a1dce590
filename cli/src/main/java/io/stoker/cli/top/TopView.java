package io.stoker.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.terminal.Bar;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.ByteSize;
import io.stoker.common.size.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Draws a fleet: what it has, what is busy, and with what. */
record TopView(Terminal terminal, Layout layout, Wish wish) {
  private static final double GIB = 1 << 30;
  private static final double FULL = 0.9;
  private static final int BRIEF = "GPU-12345678".length();

  /** Above it GPUs begin to slow themselves down. */
  private static final int HOT = 83;

  void print(Picture picture) {
    line(
        layout.wrapped(
            String.format(
                Locale.ROOT,
                "%d %s, %d of %d GPUs and %d of %d CPU slots taken, %,d jobs queued, %,d placed or"
                    + " running",
                picture.hosts().size(),
                picture.hosts().size() == 1 ? "host" : "hosts",
                picture.gpus() - picture.freeGpus(),
                picture.gpus(),
                picture.cpuSlots() - picture.freeCpuSlots(),
                picture.cpuSlots(),
                picture.queued(),
                picture.open())));
    hosts(picture);
    devices(picture);
    queues(picture);
    waiters(picture);
    jobs(picture);
  }

  /** Leaves out the columns for which there is no room, by the names of those that stay. */
  private void print(Table table) {
    if (!table.isEmpty()) {
      line("");
      table.print(terminal, layout.columns());
    }
  }

  private Table table(String wide, String narrow) {
    return new Table(wide.split("\\|"))
        .only(layout.narrow() ? narrow.split("\\|") : wide.split("\\|"));
  }

  private void hosts(Picture picture) {
    Table table =
        table(
            "HOST|STATE|GPUS TAKEN|SLOTS TAKEN|MEMORY PROMISED|JOBS|NOTE",
            "HOST|STATE|GPUS TAKEN|SLOTS TAKEN|NOTE");
    for (JsonNode host : picture.hosts()) {
      int gpus = host.at("/resources/devices").size();
      int slots = host.at("/resources/cpuSlots").asInt();
      String reason = host.path("reason").asText("");
      if (wish.wants(host.path("host").asText(), reason)) {
        table.row(
            host.path("host").asText(),
            state(host),
            gpus == 0 ? "" : taken(gpus, host.path("freeGpus").asInt()),
            slots == 0 ? "" : taken(slots, host.path("freeCpuSlots").asInt()),
            memory(host),
            host.path("openAttempts").asText(),
            reason);
      }
    }
    print(table);
  }

  private static String memory(JsonNode host) {
    long promised = host.path("memoryPromised").asLong();
    JsonNode total = host.at("/resources/memory");
    if (total.isMissingNode()) {
      return promised == 0 ? "" : ByteSize.text(promised);
    }
    return ByteSize.text(promised) + " of " + ByteSize.text(total.asLong());
  }

  private static Cell state(JsonNode host) {
    boolean usable = host.path("usable").asBoolean();
    boolean meant = host.has("drain") || host.path("cordoned").asBoolean();
    String state =
        host.has("drain")
            ? "DRAINING"
            : host.path("cordoned").asBoolean() ? "CORDONED" : host.path("state").asText();
    return new Cell(state, usable ? Style.GOOD : meant ? Style.WAITING : Style.BAD);
  }

  private String taken(int all, int free) {
    int taken = Math.max(0, all - free);
    return bar((double) taken / all, Math.min(all, layout.bar())) + taken + " of " + all;
  }

  /** With a blank after it; nothing where there is no room for any. */
  private static String bar(double part, int width) {
    return width == 0 ? "" : Bar.of(part, width) + " ";
  }

  private void devices(Picture picture) {
    Table table =
        table("GPU|MODEL|MEMORY|BUSY|TEMP|POWER|STATE|JOBS", "GPU|MEMORY|BUSY|TEMP|STATE|JOBS");
    Map<String, List<String>> jobs = jobsByDevice(picture.running());
    for (JsonNode host : picture.hosts()) {
      Map<String, JsonNode> telemetry = new HashMap<>();
      host.path("telemetry").forEach(one -> telemetry.put(one.path("id").asText(), one));
      for (JsonNode device : host.at("/resources/devices")) {
        String id = device.path("id").asText();
        JsonNode now = telemetry.getOrDefault(id, device.path("none"));
        String name = host.path("host").asText() + ":" + id;
        String running = String.join(" ", jobs.getOrDefault(name, List.of()));
        if (wish.wants(name, device.path("model").asText(), running)) {
          table.row(
              host.path("host").asText() + ":" + brief(id),
              device.path("model").asText(),
              memory(now.path("memoryUsed"), device.path("memory")),
              known(now.path("gpuUtilization"), "%"),
              temperature(now.path("temperature")),
              power(now.path("power")),
              deviceState(device),
              running);
        }
      }
    }
    print(table);
  }

  private static Map<String, List<String>> jobsByDevice(List<RequestStatus> running) {
    Map<String, List<String>> jobs = new HashMap<>();
    for (RequestStatus status : running) {
      for (String device : devices(status)) {
        jobs.computeIfAbsent(status.host() + ":" + device, name -> new ArrayList<>())
            .add(status.id());
      }
    }
    return jobs;
  }

  private static List<String> devices(RequestStatus status) {
    return status.devices() == null ? List.of() : status.devices();
  }

  /** Enough of a UUID to tell GPUs apart. */
  private static String brief(String id) {
    return id.length() > BRIEF && (id.startsWith("GPU-") || id.startsWith("MIG-"))
        ? id.substring(0, BRIEF)
        : id;
  }

  private Cell memory(JsonNode used, JsonNode all) {
    double total = all.asDouble() / GIB;
    if (!used.isNumber() || total == 0) {
      return Cell.of(total == 0 ? "" : String.format(Locale.ROOT, "%.0f GiB", total));
    }
    double taken = used.asDouble() / GIB;
    return new Cell(
        bar(taken / total, layout.roomy() ? layout.bar() : 0)
            + String.format(Locale.ROOT, "%.1f of %.0f GiB", taken, total),
        taken / total > FULL ? Style.WAITING : Style.PLAIN);
  }

  private static Cell temperature(JsonNode celsius) {
    Style style = celsius.asInt() > HOT ? Style.BAD : Style.PLAIN;
    return new Cell(known(celsius, "°C"), style);
  }

  private static String power(JsonNode milliwatts) {
    return milliwatts.isNumber() ? Math.round(milliwatts.asDouble() / 1e3) + " W" : "";
  }

  private static String known(JsonNode number, String unit) {
    return number.isNumber() ? number.asInt() + " " + unit : "";
  }

  private static Cell deviceState(JsonNode device) {
    String state = device.path("state").asText("OK");
    String reason = device.path("reason").asText("");
    return state.equals("OK")
        ? new Cell(state, Style.GOOD)
        : new Cell(reason.isEmpty() ? state : state + ": " + reason, Style.BAD);
  }

  private void queues(Picture picture) {
    Table table = new Table("QUEUE", "QUEUED", "PLACED OR RUNNING");
    picture.queues().stream()
        .filter(TopView::hasWork)
        .filter(queue -> wish.wants(queue.path("queue").asText()))
        .forEach(
            queue ->
                table.row(
                    queue.path("queue").asText(),
                    queue.path("queued").asText(),
                    queue.path("open").asText()));
    print(table);
  }

  private static boolean hasWork(JsonNode queue) {
    return queue.path("queued").asLong() + queue.path("open").asLong() > 0;
  }

  private void waiters(Picture picture) {
    Table table = table("FIRST IN LINE|QUEUE|WAITS|WHY", "FIRST IN LINE|WAITS|WHY");
    picture.line().stream()
        .filter(one -> wish.wants(one.id(), one.queue(), one.why()))
        .forEach(
            one ->
                table.row(
                    one.id(),
                    one.queue(),
                    new Cell(since(one.queuedAt(), picture.now())),
                    new Cell(one.why(), Style.WAITING)));
    print(table);
  }

  private static String since(String time, Instant now) {
    return time == null ? "" : Durations.text(Duration.between(Instant.parse(time), now));
  }

  private void jobs(Picture picture) {
    Table table =
        table("RUNNING|QUEUE|ON|ATTEMPT|ELAPSED|PROGRESS|NOTE", "RUNNING|ON|ELAPSED|PROGRESS|NOTE");
    wish.ordered(
            picture.running().stream()
                .filter(one -> wish.wants(one.id(), one.queue(), one.host(), one.group())))
        .forEach(
            status ->
                table.row(
                    status.id(),
                    status.queue(),
                    on(status),
                    status.attempt(),
                    since(status.startedAt(), picture.now()),
                    progress(status.progress()),
                    note(status)));
    print(table);
  }

  /** Such as {@code host-1:0}; without devices the host, and of a gang how many more. */
  private static String on(RequestStatus status) {
    if (status.members() != null) {
      return status.host() + " +" + (status.members().size() - 1);
    }
    return devices(status).isEmpty()
        ? status.host()
        : devices(status).stream()
            .map(device -> status.host() + ":" + brief(device))
            .collect(Collectors.joining(" "));
  }

  /** What is not as it should be with it. */
  private static Cell note(RequestStatus status) {
    if (status.code() == null) {
      return Cell.of("");
    }
    String reason = status.reason() == null ? "" : ": " + status.reason();
    return new Cell(status.code() + reason, Style.WAITING);
  }

  private String progress(JsonNode progress) {
    if (progress == null) {
      return "";
    }
    double total = progress.path("total").asDouble();
    boolean known = progress.isNumber() || total > 0;
    double part =
        progress.isNumber() ? progress.asDouble() : progress.path("done").asDouble() / total;
    String message = progress.path("message").asText("");
    return known
        ? (bar(part, layout.bar()) + String.format(Locale.ROOT, "%.0f %% %s", part * 100, message))
            .stripTrailing()
        : message;
  }

  private void line(String text) {
    terminal.out().println(text);
  }
}
