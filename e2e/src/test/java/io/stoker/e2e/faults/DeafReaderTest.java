package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.local.Home;
import io.stoker.common.life.ProcessEnd;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.stack.BesideTheSharedStack;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The address of the brokers is that of a port that speaks something else. What it answers clients
 * of Kafka take for a length, and the thread that reads dies for want of memory. A process that
 * lives on would call itself well and be deaf. If it is TLS, that is found before there are
 * clients.
 */
@Timeout(1_200)
@BesideTheSharedStack
class DeafReaderTest {
  /** TLS's fatal alert. */
  private static final byte[] ALERT = {0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46};

  /** To a client of Kafka an answer of 0x20030300 bytes, more than its heap. */
  private static final byte[] NOISE = {0x20, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46};

  private static final Home HOME = new Home(Checkout.root());

  @TempDir Path folder;

  @Test
  void aDispatcherThatHearsNoHostEndsItself() throws Exception {
    try (ServerSocket port = answering(NOISE)) {
      Ended ended =
          run(
              HOME.dispatcherJar(),
              List.of(
                  "-Dstoker.kafka.bootstrap-servers=127.0.0.1:" + port.getLocalPort(),
                  "-Dstoker.postgres.url=postgresql://127.0.0.1:1/none",
                  "-Dquarkus.http.port=0"));
      assertThat(ended.code()).as(ended.output()).isEqualTo(ProcessEnd.RESTART_ME);
      assertThat(ended.output()).contains("its thread 'heartbeats' has died of").contains("OutOf");
    }
  }

  @Test
  void anAgentThatHearsNoPlacementEndsItself() throws Exception {
    try (ServerSocket port = answering(NOISE)) {
      Ended ended =
          run(
              HOME.agentJar(),
              List.of(
                  "-Dstoker.kafka.bootstrap-servers=127.0.0.1:" + port.getLocalPort(),
                  "-Dstoker.agent.data=" + folder.resolve("data"),
                  "-Dstoker.agent.host=deaf",
                  "-Dquarkus.http.port=0"));
      assertThat(ended.code()).as(ended.output()).isEqualTo(ProcessEnd.RESTART_ME);
      assertThat(ended.output()).contains("its thread 'placements' has died of").contains("OutOf");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"dispatcher", "agent"})
  void start_brokerSpeaksTls_isSaidInsteadOfClientsMade(String service) throws Exception {
    try (ServerSocket port = answering(ALERT)) {
      Process process =
          start(
              service.equals("agent") ? HOME.agentJar() : HOME.dispatcherJar(),
              List.of(
                  "-Dstoker.kafka.bootstrap-servers=127.0.0.1:" + port.getLocalPort(),
                  "-Dstoker.postgres.url=postgresql://127.0.0.1:1/none",
                  "-Dstoker.agent.data=" + folder.resolve("data"),
                  "-Dquarkus.http.port=0"),
              Redirect.PIPE);
      try (BufferedReader output = process.inputReader()) {
        String said = output.lines().filter(line -> line.contains("yet:")).findFirst().orElse("");
        assertThat(said)
            .contains("the broker at 127.0.0.1:" + port.getLocalPort())
            .contains("speaks TLS, this client does not");
      } finally {
        process.destroyForcibly();
      }
    }
  }

  /** The folder goes before an agent's watchdog has read in it whom to end. */
  @AfterEach
  void endHelpers() {
    String data = folder.resolve("data").toString();
    ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().orElse("").contains(data))
        .forEach(ProcessHandle::destroyForcibly);
  }

  private static ServerSocket answering(byte[] answer) throws IOException {
    ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofPlatform().daemon().name("answering").start(() -> answer(socket, answer));
    return socket;
  }

  private static void answer(ServerSocket socket, byte[] answer) {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        Thread.ofVirtual().start(() -> say(answer, client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  /** Keeps the connection, as one that waits for more. */
  private static void say(byte[] answer, Socket client) {
    try (client;
        OutputStream out = client.getOutputStream()) {
      client.getInputStream().read();
      out.write(answer);
      out.flush();
      client.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException gone) {
      // So has the client.
    }
  }

  private record Ended(int code, String output) {}

  private Ended run(Path jar, List<String> settings) throws Exception {
    Path output = folder.resolve("output");
    Process process = start(jar, settings, Redirect.to(output.toFile()));
    try {
      boolean over = process.waitFor(300, TimeUnit.SECONDS);
      return new Ended(over ? process.exitValue() : -1, Files.readString(output));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static Process start(Path jar, List<String> settings, Redirect output)
      throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    ProcessBuilder builder = new ProcessBuilder(java.toString(), "-Xmx160m");
    builder.command().addAll(settings);
    builder.command().addAll(List.of("-jar", jar.toString()));
    return builder.redirectErrorStream(true).redirectOutput(output).start();
  }
}
