package io.stoker.cli.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A pool's worker that does nothing, in a process of its own: what is left of a job is Stoker's.
 * The protocol is docs/pools.md.
 */
public final class NoopWorker {
  private static final String NUMBER = "\"n\":";

  private NoopWorker() {}

  /** How it is started: on this JVM, from these classes. */
  static List<String> command() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Xmx16m",
        "-cp",
        System.getProperty("java.class.path"),
        NoopWorker.class.getName());
  }

  /** Answers until it is told to stop. */
  public static void main(String[] arguments) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    out.print("#stoker:worker {\"v\":1,\"is\":\"ready\"}\n");
    out.flush();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      int at = line.indexOf(NUMBER);
      if (at < 0) {
        return;
      }
      int from = at + NUMBER.length();
      String n = line.substring(from, line.indexOf(',', from));
      out.print("#stoker:worker {\"v\":1,\"n\":" + n + ",\"is\":\"done\"}\n");
      out.flush();
    }
  }
}
