package io.stoker.dispatcher.service.testing;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A real browser, spoken to by its DevTools protocol. */
public final class Chromium implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();

  /** A call that a page takes with it when it goes is not answered. */
  private static final Duration ANSWER = Duration.ofSeconds(20);

  /** More than any view has to tab through. */
  private static final int MOST_STOPS = 1000;

  private final Path folder;
  private final Process process;
  private final HttpClient http = HttpClient.newHttpClient();
  private final int port;

  private Chromium(Path folder, Process process, int port) {
    this.folder = folder;
    this.process = process;
    this.port = port;
  }

  /** Where it is; empty if there is none. */
  public static Optional<Path> found() {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .flatMap(on -> Stream.of("chromium", "google-chrome").map(name -> Path.of(on, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts one. */
  public static Chromium start(Path program) throws Exception {
    Path folder = Files.createTempDirectory("stoker-browser");
    ProcessBuilder browser =
        new ProcessBuilder(
                program.toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--hide-scrollbars",
                "--remote-debugging-port=0",
                "--user-data-dir=" + folder.resolve("profile"),
                "about:blank")
            .redirectOutput(folder.resolve("out.log").toFile())
            .redirectError(folder.resolve("err.log").toFile());
    browser.environment().put("TMPDIR", folder.toString()); // what it leaves there goes with it
    Process process = browser.start();
    return new Chromium(folder, process, port(process, folder));
  }

  private static int port(Process process, Path folder) throws Exception {
    Path says = folder.resolve("profile/DevToolsActivePort");
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < until && process.isAlive()) {
      if (Files.exists(says) && !Files.readString(says).isEmpty()) {
        return Integer.parseInt(Files.readAllLines(says).getFirst());
      }
      Thread.onSpinWait();
      process.waitFor(50, TimeUnit.MILLISECONDS);
    }
    throw new IOException("no browser: " + Files.readString(folder.resolve("err.log")));
  }

  /** Opens a page of its own, shown at this size. */
  public Tab open(int width, int height) throws Exception {
    HttpRequest wish =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?about:blank"))
            .PUT(HttpRequest.BodyPublishers.noBody())
            .build();
    byte[] made = http.send(wish, HttpResponse.BodyHandlers.ofByteArray()).body();
    Tab tab = new Tab();
    tab.socket =
        http.newWebSocketBuilder()
            .buildAsync(URI.create(Json.read(made).path("webSocketDebuggerUrl").asText()), tab)
            .get(60, TimeUnit.SECONDS);
    tab.call("Page.enable", Map.of());
    tab.call("Runtime.enable", Map.of());
    tab.call("Log.enable", Map.of());
    // As if each had a window of its own: one that is behind another is hidden.
    tab.call("Emulation.setFocusEmulationEnabled", Map.of("enabled", true));
    tab.size(width, height);
    return tab;
  }

  @Override
  public void close() throws Exception {
    Stream.concat(process.descendants(), Stream.of(process.toHandle()))
        .forEach(ProcessHandle::destroyForcibly);
    process.waitFor();
    http.close();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    }
  }

  /**
   * An open page, to be closed: one that is left open keeps connections, of which there are six.
   */
  public static final class Tab implements WebSocket.Listener, AutoCloseable {
    private final AtomicInteger last = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final StringBuilder part = new StringBuilder();
    private WebSocket socket;

    /** Shows it at this size, in CSS pixels. */
    public void size(int width, int height) {
      call(
          "Emulation.setDeviceMetricsOverride",
          Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Has it in this colour scheme: {@code light} or {@code dark}. */
    public void scheme(String scheme) {
      Map<String, String> prefers = Map.of("name", "prefers-color-scheme", "value", scheme);
      call("Emulation.setEmulatedMedia", Map.of("features", List.of(prefers)));
    }

    /** Goes to an address and waits until all of it is there. */
    public void go(String address) {
      call("Page.navigate", Map.of("url", address));
      await("location.href !== 'about:blank' && document.readyState === 'complete'");
    }

    /** The value of a script, of which promises are awaited. */
    public JsonNode run(String script) {
      JsonNode answer =
          call(
              "Runtime.evaluate",
              Map.of("expression", script, "awaitPromise", true, "returnByValue", true));
      if (answer.has("exceptionDetails")) {
        throw new AssertionError(script + ": " + answer.path("exceptionDetails"));
      }
      return answer.path("result").path("value");
    }

    /** Waits until a script says true. */
    public void await(String condition) {
      long until = System.nanoTime() + PATIENCE.toNanos();
      while (System.nanoTime() < until) {
        if (isSo(condition)) {
          return;
        }
        LockSupport.parkNanos(LOOK_NANOS);
      }
      throw new AssertionError(
          "never so: " + condition + "; the page says " + run("document.body.innerText"));
    }

    /** Not while a page comes that has not what is asked for. */
    private boolean isSo(String condition) {
      try {
        return run("!!(" + condition + ")").asBoolean();
      } catch (AssertionError | IllegalStateException notYet) {
        return false;
      }
    }

    /** Presses Tab, Enter or the space bar, by its name in the DOM. */
    public void press(String key) {
      Map<String, Object> what =
          switch (key) {
            case "Tab" -> Map.of("key", key, "code", key, "windowsVirtualKeyCode", 9);
            case "Enter" ->
                Map.of("key", key, "code", key, "windowsVirtualKeyCode", 13, "text", "\r");
            case " " ->
                Map.of("key", key, "code", "Space", "windowsVirtualKeyCode", 32, "text", " ");
            default -> throw new IllegalArgumentException(key);
          };
      call("Input.dispatchKeyEvent", with(what, "type", "keyDown"));
      call("Input.dispatchKeyEvent", with(what, "type", "keyUp"));
    }

    /** Types into what has the focus. */
    public void type(String text) {
      call("Input.insertText", Map.of("text", text));
    }

    /** Presses Tab until what a selector names has the focus. */
    public void tabTo(String selector) {
      for (int at = 0; at < MOST_STOPS; at++) {
        press("Tab");
        if (run("document.activeElement.matches(\"" + selector + "\")").asBoolean()) {
          return;
        }
      }
      throw new AssertionError("no key leads to " + selector);
    }

    /** Cuts it off the network, or has it back. */
    public void offline(boolean offline) {
      call("Network.enable", Map.of());
      call(
          "Network.emulateNetworkConditions",
          Map.of(
              "offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    @Override
    public void close() {
      call("Page.close", Map.of());
      socket.abort();
    }

    private static Map<String, Object> with(Map<String, Object> some, String key, String value) {
      Map<String, Object> all = new HashMap<>(some);
      all.put(key, value);
      return all;
    }

    /** Has what is downloaded from it kept in this folder. */
    public void downloadTo(Path downloads) {
      call(
          "Page.setDownloadBehavior",
          Map.of("behavior", "allow", "downloadPath", downloads.toString()));
    }

    /** What it looks like, as a PNG. */
    public byte[] picture() {
      return Base64.getDecoder()
          .decode(call("Page.captureScreenshot", Map.of("format", "png")).path("data").asText());
    }

    /** What the browser complained of since the page was opened: scripts, policies, answers. */
    public List<String> complaints() {
      return complaints;
    }

    /** Calls the protocol. */
    public JsonNode call(String method, Map<String, ?> parameters) {
      int id = last.incrementAndGet();
      CompletableFuture<JsonNode> answer = new CompletableFuture<>();
      asked.put(id, answer);
      byte[] call = Json.bytes(Map.of("id", id, "method", method, "params", parameters));
      synchronized (this) {
        socket.sendText(new String(call, StandardCharsets.UTF_8), true).join();
      }
      try {
        return answer.get(ANSWER.toSeconds(), TimeUnit.SECONDS);
      } catch (Exception e) {
        throw new IllegalStateException(method + " " + parameters, e);
      }
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean whole) {
      part.append(data);
      if (whole) {
        take(part.toString());
        part.setLength(0);
      }
      from.request(1);
      return null;
    }

    private void take(String text) {
      JsonNode message = read(text);
      switch (message.path("method").asText()) {
        case "" -> answered(message);
        case "Runtime.exceptionThrown" -> complaints.add(message.path("params").toString());
        case "Log.entryAdded" -> complaints.add(message.path("params").path("entry").toString());
        default -> {}
      }
    }

    private void answered(JsonNode message) {
      CompletableFuture<JsonNode> waits = asked.remove(message.path("id").asInt());
      if (waits == null) {
        return;
      }
      if (message.has("error")) {
        waits.completeExceptionally(new IllegalStateException(message.path("error").toString()));
      } else {
        waits.complete(message.path("result"));
      }
    }

    private static JsonNode read(String text) {
      try {
        return Json.read(text.getBytes(StandardCharsets.UTF_8));
      } catch (MalformedJson e) {
        throw new UncheckedIOException(new IOException(e));
      }
    }
  }
}
