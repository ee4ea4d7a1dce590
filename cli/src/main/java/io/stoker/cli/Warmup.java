package io.stoker.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import io.stoker.cli.local.Addresses;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.ProcessRef;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.local.StackInfo;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
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
  private static final Map<String, Object> NOWHERE = Map.of("bootstrap.servers", "127.0.0.1:1");

  private Warmup() {}

  public static void main(String[] arguments) throws IOException {
    Logger.getLogger("").setLevel(Level.OFF);
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(PrintWriter.nullWriter()));
    line.setErr(new PrintWriter(PrintWriter.nullWriter()));
    line.execute("--help");
    json();
    rest();
    new KafkaProducer<>(NOWHERE, new ByteArraySerializer(), new ByteArraySerializer())
        .close(Duration.ZERO);
    new KafkaConsumer<>(NOWHERE, new ByteArrayDeserializer(), new ByteArrayDeserializer()).close();
    Admin.create(NOWHERE).close(Duration.ZERO);
  }

  /** One status asked for and shown, by a server of this process's own. */
  private static void rest() throws IOException {
    byte[] status = "{\"id\":\"a\",\"state\":\"QUEUED\",\"version\":1}".getBytes(UTF_8);
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, status.length);
          exchange.getResponseBody().write(status);
          exchange.close();
        });
    server.start();
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    PrintWriter nowhere = new PrintWriter(PrintWriter.nullWriter());
    try (RestClient rest = new RestClient(url)) {
      Requests requests = new Requests(rest);
      requests.find("a");
      requests.list(Requests.Filter.all(1));
      requests.cancel("a", null);
      new Table("ID").row("a").print(new Terminal(nowhere, nowhere, false, false));
    } finally {
      server.stop(0);
    }
  }

  private static void json() throws IOException {
    JsonMapper mapper = JsonMapper.builder().build();
    RunningStack stack =
        new RunningStack(
            ProcessRef.of(ProcessHandle.current()),
            false,
            new Addresses("kafka", "rest", "postgres", "redis"),
            List.of());
    byte[] written = mapper.writeValueAsBytes(stack);
    RunningStack read = mapper.readValue(written, RunningStack.class);
    mapper.readTree(mapper.writeValueAsString(StackInfo.of(new DataFolder(Path.of(".")), read)));
  }
}
