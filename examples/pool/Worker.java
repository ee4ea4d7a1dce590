import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A worker of a pool in plain Java: {@code java Worker.java}. The protocol is docs/pools.md, version
 * 1; {@link #serve} is all of it. It tells each iris by its petals, as iris_worker.py does.
 */
public class Worker {
  /** What is done for each job. */
  interface Job {
    /**
     * @param told the whole line, JSON; {@code params} are in it
     * @return the result as JSON
     */
    String work(String told) throws Exception;
  }

  private static final Pattern NUMBER = Pattern.compile("\"n\":(\\d+)");
  private static final Pattern PETAL =
      Pattern.compile("\"petal\":\\[\\s*([-+.\\deE]+)\\s*,\\s*([-+.\\deE]+)\\s*]");

  static void serve(Job job) throws Exception {
    PrintStream protocol = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // what is printed is log
    protocol.println("#stoker:worker {\"v\":1,\"is\":\"ready\"}");
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher number = NUMBER.matcher(line);
      if (!number.find()) {
        return; // told to stop
      }
      String n = number.group(1);
      try {
        String result = job.work(line);
        protocol.println(
            "#stoker:worker {\"v\":1,\"n\":%s,\"is\":\"done\",\"result\":%s}".formatted(n, result));
      } catch (Exception | OutOfMemoryError e) {
        String kind = e instanceof OutOfMemoryError ? "oom" : "error";
        String text = e.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        protocol.println(
            "#stoker:worker {\"v\":1,\"n\":%s,\"is\":\"%s\",\"message\":\"%s\"}"
                .formatted(n, kind, text));
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    serve(
        told -> {
          Matcher petal = PETAL.matcher(told);
          if (!petal.find()) {
            throw new IllegalArgumentException("params.petal: expected length and width in cm");
          }
          double length = Double.parseDouble(petal.group(1));
          double width = Double.parseDouble(petal.group(2));
          String kind = length < 2.5 ? "setosa" : width < 1.75 ? "versicolor" : "virginica";
          return "{\"species\":\"" + kind + "\"}";
        });
  }
}
