package io.stoker.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.terminal.Bar;
import io.stoker.cli.terminal.Style;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Table.Cell;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.ByteSize;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Draws a fleet: what it has, what is busy, and with what. */
final class TopView {
  private static final int BAR = 20;
  private static final double GIB = 1 << 30;
  private static final double FULL = 0.9;
  private static final int BRIEF = "GPU-12345678".length();

  /** Above it GPUs begin to slow themselves down. */
  private static final int HOT = 83;

  private final Terminal terminal;

  TopView(Terminal terminal) {
    this.terminal = terminal;
  }

  void print(Picture picture) {
    line(
        "%d %s, %d of %d GPUs and %d of %d CPU slots taken, %,d jobs queued, %,d placed or running",
        picture.hosts().size(),
        picture.hosts().size() == 1 ? "host" : "hosts",
        picture.gpus() - picture.freeGpus(),
        picture.gpus(),
        picture.cpuSlots() - picture.freeCpuSlots(),
        picture.cpuSlots(),
        picture.queued(),
        picture.open());
    line("");
    hosts(picture);
    if (picture.gpus() > 0) {
      line("");
      devices(picture);
    }
    if (picture.queues().stream().anyMatch(TopView::hasWork)) {
      line("");
      queues(picture);
    }
    if (!picture.running().isEmpty()) {
      line("");
      jobs(picture);
    }
  }

  private void hosts(Picture picture) {
    Table table =
        new Table("HOST", "STATE", "GPUS TAKEN", "SLOTS TAKEN", "MEMORY PROMISED", "JOBS", "NOTE");
    for (JsonNode host : picture.hosts()) {
      int gpus = host.at("/resources/devices").size();
      int slots = host.at("/resources/cpuSlots").asInt();
      table.row(
          host.path("host").asText(),
          state(host),
          gpus == 0 ? "" : taken(gpus, host.path("freeGpus").asInt()),
          slots == 0 ? "" : taken(slots, host.path("freeCpuSlots").asInt()),
          memory(host),
          host.path("openAttempts").asText(),
          host.path("reason").asText(""));
    }
    table.print(terminal);
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

  private static String taken(int all, int free) {
    int taken = Math.max(0, all - free);
    return "%s %d of %d".formatted(Bar.of((double) taken / all, Math.min(all, BAR)), taken, all);
  }

  private void devices(Picture picture) {
    Table table = new Table("GPU", "MODEL", "MEMORY", "BUSY", "TEMP", "POWER", "STATE", "JOBS");
    Map<String, List<String>> jobs = jobsByDevice(picture.running());
    for (JsonNode host : picture.hosts()) {
      Map<String, JsonNode> telemetry = new HashMap<>();
      host.path("telemetry").forEach(one -> telemetry.put(one.path("id").asText(), one));
      for (JsonNode device : host.at("/resources/devices")) {
        String id = device.path("id").asText();
        JsonNode now = telemetry.getOrDefault(id, device.path("none"));
        String name = host.path("host").asText() + "/" + id;
        table.row(
            host.path("host").asText() + "/" + brief(id),
            device.path("model").asText(),
            memory(now.path("memoryUsed"), device.path("memory")),
            known(now.path("gpuUtilization"), "%"),
            temperature(now.path("temperature")),
            power(now.path("power")),
            deviceState(device),
            String.join(" ", jobs.getOrDefault(name, List.of())));
      }
    }
    table.print(terminal);
  }

  private static Map<String, List<String>> jobsByDevice(List<RequestStatus> running) {
    Map<String, List<String>> jobs = new HashMap<>();
    for (RequestStatus status : running) {
      for (String device : devices(status)) {
        jobs.computeIfAbsent(status.host() + "/" + device, name -> new ArrayList<>())
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

  private static Cell memory(JsonNode used, JsonNode all) {
    double total = all.asDouble() / GIB;
    if (!used.isNumber() || total == 0) {
      return Cell.of(total == 0 ? "" : String.format(Locale.ROOT, "%.0f GiB", total));
    }
    double taken = used.asDouble() / GIB;
    return new Cell(
        String.format(Locale.ROOT, "%s %.1f of %.0f GiB", Bar.of(taken / total, BAR), taken, total),
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
        .forEach(
            queue ->
                table.row(
                    queue.path("queue").asText(),
                    queue.path("queued").asText(),
                    queue.path("open").asText()));
    table.print(terminal);
  }

  private static boolean hasWork(JsonNode queue) {
    return queue.path("queued").asLong() + queue.path("open").asLong() > 0;
  }

  private void jobs(Picture picture) {
    Table table = new Table("RUNNING", "QUEUE", "HOST", "DEVICES", "ATTEMPT", "PROGRESS", "NOTE");
    for (RequestStatus status : picture.running()) {
      table.row(
          status.id(),
          status.queue(),
          status.host(),
          devices(status).stream().map(TopView::brief).collect(Collectors.joining(",")),
          status.attempt(),
          progress(status.progress()),
          note(status));
    }
    table.print(terminal);
  }

  /** What is not as it should be with it. */
  private static Cell note(RequestStatus status) {
    return status.code() == null
        ? Cell.of("")
        : new Cell(status.code() + ": " + status.reason(), Style.WAITING);
  }

  private static String progress(JsonNode progress) {
    if (progress == null) {
      return "";
    }
    double total = progress.path("total").asDouble();
    double part =
        progress.isNumber()
            ? progress.asDouble()
            : total == 0 ? 0 : progress.path("done").asDouble() / total;
    String message = progress.path("message").asText("");
    return "%s %.0f %% %s".formatted(Bar.of(part, BAR), part * 100, message).stripTrailing();
  }

  private void line(String text, Object... values) {
    terminal.out().println(String.format(Locale.ROOT, text, values));
  }
}
