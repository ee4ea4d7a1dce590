package io.stoker.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import io.stoker.cli.command.Connection;
import io.stoker.cli.local.Addresses;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.ProcessRef;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.terminal.Output;
import io.stoker.kafka.KafkaAccess;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import picocli.CommandLine;

/**
 * Loads the classes that commands use, and does nothing else: the launcher runs it once after a
 * build, with the archive of loaded classes that makes every later command start quickly. It
 * reaches nobody but itself.
 */
public final class Warmup {
  /** Nobody listens on this port: the clients are closed before they notice. */
  private static final KafkaAccess NOWHERE = KafkaAccess.at("127.0.0.1:1");

  /** The commands that people and scripts call again and again. */
  private static final List<List<String>> READS =
      List.of(
          List.of("list"),
          List.of("list", "--json"),
          List.of("status", "a"),
          List.of("show", "a"),
          List.of("explain", "a"),
          List.of("logs", "a"),
          List.of("results", "a"),
          List.of("hosts"),
          List.of("queues"),
          List.of("group", "list"),
          List.of("info"));

  /** What is answered to whatever is asked: each command finds what it looks for. */
  private static final String ANSWER =
      """
      {"id": "a", "state": "RUNNING", "version": 1, "job": "j", "host": "h", "attempt": 1, \
      "at": "2026-01-01T00:00:00Z", "postedAt": "2026-01-01T00:00:00Z", \
      "startedAt": "2026-01-01T00:00:00Z", "queue": "q", "sentence": "it runs", \
      "status": {"id": "a", "state": "RUNNING", "version": 1}, \
      "request": {"id": "a", "command": ["x"]}, "dependencies": [], "attempts": [], \
      "requests": [{"id": "a", "state": "RUNNING", "version": 1, "command": "x"}], \
      "results": [], "groups": [], "hosts": [], "queues": []}
      """;

  private Warmup() {}

  public static void main(String[] arguments) throws IOException {
    Logger.getLogger("").setLevel(Level.OFF);
    Output.install();
    execute(List.of("--help"));
    reads();
    NOWHERE
        .producer(Map.of(), new ByteArraySerializer(), new ByteArraySerializer())
        .close(Duration.ZERO);
    NOWHERE.consumer(Map.of(), new ByteArrayDeserializer(), new ByteArrayDeserializer()).close();
    NOWHERE.admin(Map.of()).close(Duration.ZERO);
  }

  private static void execute(List<String> arguments) {
    CommandLine line = Main.commandLine(arguments.toArray(String[]::new));
    line.setOut(new PrintWriter(PrintWriter.nullWriter()));
    line.setErr(new PrintWriter(PrintWriter.nullWriter()));
    line.execute(arguments.toArray(String[]::new));
  }

  /** Asks a server of this process's own, which a data folder of its own names. */
  private static void reads() throws IOException {
    if (!new Connection(new DataFolder(Path.of(".")), System.getenv()).isLocal()) {
      throw new IllegalStateException("a variable names somebody else's stack");
    }
    byte[] answer = ANSWER.getBytes(UTF_8);
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    Path folder = Files.createTempDirectory("stoker-warmup-");
    DataFolder data = new DataFolder(folder);
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    ProcessRef up = ProcessRef.of(ProcessHandle.current());
    try {
      new RunningStack(up, true, new Addresses("127.0.0.1:1", url, "", "", null, null), List.of())
          .write(data);
      for (List<String> read : READS) {
        List<String> call = new ArrayList<>(read);
        call.addAll(List.of("--data", folder.toString()));
        execute(call);
      }
    } finally {
      server.stop(0);
      RunningStack.remove(data);
      Files.delete(folder);
    }
  }
}
