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
  private static final String JOB = "\"do\":\"job\"";
  private static final String STOP = "\"do\":\"stop\"";

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
    out.print("#stoker:worker {\"v\":1,\"is\":\"ready\",\"ahead\":8}\n");
    out.flush();
    String line = job(in);
    boolean told = false;
    while (line != null) {
      String n = number(line);
      if (!told) {
        out.print("#stoker:worker {\"v\":1,\"n\":" + n + ",\"is\":\"started\"}\n");
        out.flush();
      }
      told = in.ready();
      line = told ? job(in) : null;
      String next = line == null ? "" : ",\"started\":" + number(line);
      out.print("#stoker:worker {\"v\":1,\"n\":" + n + ",\"is\":\"done\"" + next + "}\n");
      out.flush();
      line = told ? line : job(in);
    }
  }

  /** The next job; null if there is none any more. What is withdrawn here has begun already. */
  private static String job(BufferedReader in) throws IOException {
    String line = in.readLine();
    while (line != null && !line.contains(JOB)) {
      line = line.contains(STOP) ? null : in.readLine();
    }
    return line;
  }

  private static String number(String line) {
    int from = line.indexOf(NUMBER) + NUMBER.length();
    return line.substring(from, line.indexOf(',', from));
  }
}
