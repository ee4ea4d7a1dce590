import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A staged job in plain Java: {@code java Staged.java}. The protocol is docs/staged.md, version 1;
 * {@link #serve} is all of it, for a class with {@code load} and {@code train}.
 */
public class Staged {
  /** What Stoker calls. An OutOfMemoryError means: call it again when there is more memory. */
  interface Job {
    void load() throws Exception;

    /**
     * @return the result as JSON
     */
    String train(String device) throws Exception;
  }

  private static final Pattern NUMBER = Pattern.compile("\"n\":(\\d+)");
  private static final Pattern DEVICE = Pattern.compile("\"device\":\"([^\"]*)\"");

  static void serve(Job job) throws Exception {
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    long seen = 0;
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      Matcher number = NUMBER.matcher(line);
      if (!number.find() || Long.parseLong(number.group(1)) <= seen) {
        continue; // asked for again after a restart of the agent
      }
      seen = Long.parseLong(number.group(1));
      Matcher device = DEVICE.matcher(line);
      try {
        if (device.find()) {
          System.out.println("#stoker:result " + job.train(device.group(1)));
          answer(seen, "done", "");
          return;
        }
        job.load();
        answer(seen, "done", "");
      } catch (OutOfMemoryError e) {
        answer(seen, "oom", String.valueOf(e.getMessage()));
      } catch (Exception e) {
        e.printStackTrace();
        answer(seen, "exception", e.toString());
        System.exit(1);
      }
    }
  }

  private static void answer(long n, String what, String message) {
    String text = message.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    System.out.println(
        "#stoker:stage {\"v\":1,\"n\":%d,\"is\":\"%s\",\"message\":\"%s\"}"
            .formatted(n, what, text));
    System.out.flush();
  }

  public static void main(String[] arguments) throws Exception {
    serve(
        new Job() {
          private double[] samples;

          @Override
          public void load() {
            samples = new double[1_000];
            for (int i = 0; i < samples.length; i++) {
              samples[i] = i;
            }
          }

          @Override
          public String train(String device) {
            double sum = 0;
            for (double sample : samples) {
              sum += sample;
            }
            return "{\"mean\":" + sum / samples.length + ",\"device\":\"" + device + "\"}";
          }
        });
  }
}
