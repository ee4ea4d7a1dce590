package io.stoker.agent.spawn;

import io.stoker.agent.device.CpuSet;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * An order of the agent to the spawner: to start a run.
 *
 * @param run its name, which is also its folder's
 * @param program absolute path, or one that is relative to the work folder
 * @param workdir absolute
 * @param told whether its stdin is a pipe named {@code input} in its folder, by which it is told
 *     things, and not empty
 * @param arguments the program's name as it was given, and what follows it
 * @param environment {@code NAME=value} each: all that the job gets
 * @param cpus on which it runs, none for any
 */
public record Order(
    String run,
    String program,
    String workdir,
    boolean told,
    List<String> arguments,
    List<String> environment,
    CpuSet cpus) {
  /**
   * The same run, begun by another program that becomes its own in the end.
   *
   * @param first that program, by its path
   * @param words its name and arguments, up to those that follow: the run's own program, and its
   *     arguments
   */
  public Order behind(String first, List<String> words) {
    List<String> all = new ArrayList<>(words);
    // Without a slash it would be looked for on the path.
    all.add(program.contains("/") ? program : "./" + program);
    all.addAll(arguments.subList(1, arguments.size()));
    return new Order(run, first, workdir, told, all, environment, cpus);
  }

  public void write(DataOutputStream out) throws IOException {
    text(out, run);
    text(out, program);
    text(out, workdir);
    out.writeBoolean(told);
    texts(out, arguments);
    texts(out, environment);
    text(out, cpus.toString());
  }

  /**
   * Reads the next.
   *
   * @throws java.io.EOFException if there is none
   */
  static Order read(DataInputStream in) throws IOException {
    return new Order(
        text(in),
        text(in),
        text(in),
        in.readBoolean(),
        texts(in),
        texts(in),
        CpuSet.parse(text(in)));
  }

  private static void texts(DataOutputStream out, List<String> texts) throws IOException {
    out.writeInt(texts.size());
    for (String text : texts) {
      text(out, text);
    }
  }

  private static void text(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static List<String> texts(DataInputStream in) throws IOException {
    int size = in.readInt();
    List<String> texts = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      texts.add(text(in));
    }
    return texts;
  }

  private static String text(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
  }
}
