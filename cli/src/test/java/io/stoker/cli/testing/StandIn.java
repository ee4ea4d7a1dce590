package io.stoker.cli.testing;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Stands in for the dispatcher and for the agent: says what it was given, is healthy, waits for its
 * end, and notes that end in the file of {@link #ENDS} if that is set.
 */
public final class StandIn {
  /** Names a file to which every stand-in adds its name when it is told to end. */
  public static final String ENDS = "STAND_IN_ENDS";

  /** Variables that are not the stack's: it fails where it is given one. */
  public static final List<String> OTHERS =
      List.of("STOKER_KAFKA_SECURITY_PROTOCOL", "STOKER_POSTGRES_TLS", "STOKER_AGENT_KEY");

  private StandIn() {}

  /** Makes a home in which both services are stand-ins. */
  public static void install(Path home) throws IOException {
    for (String module : new String[] {"dispatcher/service", "gpu-agent/service"}) {
      Path app = Files.createDirectories(home.resolve(module).resolve("target/quarkus-app"));
      writeJar(app.resolve("quarkus-run.jar"));
    }
  }

  public static void main(String[] arguments) throws Exception {
    List<String> others = OTHERS.stream().filter(name -> System.getenv(name) != null).toList();
    if (!others.isEmpty()) {
      throw new IllegalStateException("given " + others);
    }
    String config = System.getProperty("config.file", "none");
    System.out.printf("pid=%d config=%s%n", ProcessHandle.current().pid(), config);
    if (config.endsWith("failing.properties")) {
      System.exit(5);
    }
    if (Arrays.asList(arguments).contains("migrate")) {
      return;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(StandIn::noteEnd));
    String port = System.getenv("STOKER_HTTP_PORT");
    if (port != null) {
      serveHealthAndHosts(Integer.parseInt(port));
    }
    new CountDownLatch(1).await();
  }

  /** Whatever agents there are, they are welcome. */
  private static void serveHealthAndHosts(int port) throws IOException {
    String hosts =
        IntStream.rangeClosed(1, 8)
            .mapToObj("{\"host\":\"host-%d\",\"state\":\"UP\",\"alive\":true}"::formatted)
            .collect(Collectors.joining(",", "{\"hosts\":[", "]}"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext(
        "/q/health/ready",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.createContext(
        "/hosts",
        exchange -> {
          byte[] body = hosts.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  private static void noteEnd() {
    String ends = System.getenv(ENDS);
    if (ends != null) {
      String what = System.getenv("STOKER_HTTP_PORT") == null ? "agent\n" : "dispatcher\n";
      try {
        Files.writeString(
            Path.of(ends), what, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static void writeJar(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, StandIn.class.getName());
    String entry = StandIn.class.getName().replace('.', '/') + ".class";
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
        InputStream bytes = StandIn.class.getClassLoader().getResourceAsStream(entry)) {
      out.putNextEntry(new JarEntry(entry));
      bytes.transferTo(out);
    }
  }
}
