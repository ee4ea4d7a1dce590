package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.local.Home;
import io.stoker.common.life.ProcessEnd;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.stack.BesideTheSharedStack;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The address of the brokers is that of a port that speaks TLS, and the clients do not. What it
 * answers they take for a length, and the thread that reads dies for want of memory. A process that
 * lives on would call itself well and be deaf.
 */
@Timeout(300)
@BesideTheSharedStack
class DeafReaderTest {
  /** A fatal alert: to a client of Kafka an answer of 0x15030300 bytes, more than its heap. */
  private static final byte[] ALERT = {0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46};

  private static final Home HOME = new Home(Checkout.root());

  @TempDir Path folder;

  @Test
  void aDispatcherThatHearsNoHostEndsItself() throws Exception {
    try (ServerSocket tls = tls()) {
      Ended ended =
          run(
              HOME.dispatcherJar(),
              List.of(
                  "-Dstoker.kafka.bootstrap-servers=127.0.0.1:" + tls.getLocalPort(),
                  "-Dstoker.postgres.url=postgresql://127.0.0.1:1/none",
                  "-Dquarkus.http.port=0"));
      assertThat(ended.code()).as(ended.output()).isEqualTo(ProcessEnd.RESTART_ME);
      assertThat(ended.output()).contains("its thread 'heartbeats' has died of").contains("OutOf");
    }
  }

  @Test
  void anAgentThatHearsNoPlacementEndsItself() throws Exception {
    try (ServerSocket tls = tls()) {
      Ended ended =
          run(
              HOME.agentJar(),
              List.of(
                  "-Dstoker.kafka.bootstrap-servers=127.0.0.1:" + tls.getLocalPort(),
                  "-Dstoker.agent.data=" + folder.resolve("data"),
                  "-Dstoker.agent.host=deaf",
                  "-Dquarkus.http.port=0"));
      assertThat(ended.code()).as(ended.output()).isEqualTo(ProcessEnd.RESTART_ME);
      assertThat(ended.output()).contains("its thread 'placements' has died of").contains("OutOf");
    }
  }

  private static ServerSocket tls() throws IOException {
    ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofPlatform().daemon().name("tls").start(() -> answer(socket));
    return socket;
  }

  private static void answer(ServerSocket socket) {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        Thread.ofVirtual().start(() -> alert(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  /** Keeps the connection, as one that waits for more. */
  private static void alert(Socket client) {
    try (client;
        OutputStream out = client.getOutputStream()) {
      client.getInputStream().read();
      out.write(ALERT);
      out.flush();
      client.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException gone) {
      // So has the client.
    }
  }

  private record Ended(int code, String output) {}

  private Ended run(Path jar, List<String> settings) throws Exception {
    Path output = folder.resolve("output");
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    ProcessBuilder builder = new ProcessBuilder(java.toString(), "-Xmx160m");
    builder.command().addAll(settings);
    builder.command().addAll(List.of("-jar", jar.toString()));
    builder.redirectErrorStream(true).redirectOutput(output.toFile());
    Process process = builder.start();
    try {
      boolean over = process.waitFor(120, TimeUnit.SECONDS);
      return new Ended(over ? process.exitValue() : -1, Files.readString(output));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
