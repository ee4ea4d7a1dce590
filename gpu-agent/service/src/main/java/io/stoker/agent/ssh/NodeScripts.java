package io.stoker.agent.ssh;

import io.stoker.agent.spawn.RunTag;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;

/**
 * The scripts that ask a node. Each can be asked again: what has happened does not happen twice.
 */
final class NodeScripts {
  /** Largest result that is fetched, in bytes; of a larger one, a byte more. */
  private static final int RESULT_LIMIT = 256 * 1024;

  private static final String COMMON = resource("common.sh");
  private static final String WRAP = resource("wrap.sh");
  private static final String GUARD = resource("guard.sh");
  private static final String KILL = resource("kill.sh");

  private final String folder;
  private final String mark;

  /** Which all of its processes have, whatever becomes of their environment. */
  private final long tag;

  /**
   * @param folder the run's, on the node: letters, digits and {@code . _ / -}
   * @param mark in the environment of each of its processes; no other's begins with it
   */
  NodeScripts(String folder, String mark) {
    this.folder = folder;
    this.mark = mark;
    this.tag = RunTag.of("", mark);
  }

  /** Lays out the run's folder, unless it has begun. */
  String prepare(Order order) {
    StringBuilder text = new StringBuilder(head());
    text.append(
        """
        command -v setsid >/dev/null || { echo "it has no setsid (package util-linux)" >&2; exit 1; }
        umask 077
        mkdir -p "$folder/%s" && cd "$folder" || exit 1
        [ ! -e claim ] || exit 0
        """
            .formatted(NodeFiles.SCRATCH));
    file(text, "common.sh", COMMON);
    file(text, "wrap.sh", WRAP);
    file(text, "guard.sh", GUARD);
    file(text, "kill.sh", KILL);
    file(text, "job.sh", JobScript.of(order, mark, tag));
    file(
        text,
        "settings",
        "mark=%s\ntag=%d\ngrace=%d\nlimit=%d\nguard=\n"
            .formatted(
                JobScript.quote(mark), tag, order.care().grace().toMillis(), order.limitSeconds()));
    for (Map.Entry<String, String> one : order.texts().entrySet()) {
      file(text, one.getKey(), one.getValue());
    }
    return text.append("exit 0\n").toString();
  }

  /** Starts the job, once, and tells how it is. */
  String start(long stdout, long stderr) {
    return head()
        + """
        cd "$folder" || exit 1
        uptime_s
        echo "$up" >visited
        if claim starting; then
          setsid sh ./wrap.sh "$PWD" </dev/null >/dev/null 2>wrap.err &
        fi
        tries=0
        read -r taken <claim
        [ "$taken" = starting ] || tries=20
        until [ -f pid ] || [ "$tries" -ge 20 ]; do
          sleep 0.1
          tries=$((tries + 1))
        done
        o=%d e=%d
        look
        exit 0
        """
            .formatted(stdout, stderr);
  }

  /** Tells how the job is, and what is new of its output. */
  String look(long stdout, long stderr) {
    return head()
        + """
        cd "$folder" 2>/dev/null || { echo 'stoker none 0 0 0 0 0 0 0'; exit 0; }
        o=%d e=%d
        look
        exit 0
        """
            .formatted(stdout, stderr);
  }

  /** Begins to end the job, or sees to it that it never starts; tells how it is. */
  String stop(long graceMs, long stdout, long stderr) {
    return head()
        + """
        cd "$folder" 2>/dev/null || { echo 'stoker none 0 0 0 0 0 0 0'; exit 0; }
        told=
        tell() {
          if [ -z "$told" ] && [ -f pid ] && [ ! -f exit ]; then
            told=told
            setsid sh ./kill.sh "$PWD" %d </dev/null >/dev/null 2>&1 &
          fi
        }
        claim revoked || tell
        o=%d e=%d
        look
        # Whose process has shown itself since then was told of as alive: nobody asks for it again.
        tell
        exit 0
        """
            .formatted(graceMs, stdout, stderr);
  }

  /** Kills whatever is left of it, and waits until that is gone. */
  String sweep() {
    return head()
        + """
        cd "$folder" 2>/dev/null
        [ ! -f pid ] || first_process
        end_all 0
        """;
  }

  /** Deletes the run's folder. */
  String remove() {
    return head()
        + """
        tries=0
        # What ended just now may be writing its last file there.
        until rm -rf -- "$folder" 2>/dev/null || [ "$tries" -ge 20 ]; do
          sleep 0.1
          tries=$((tries + 1))
        done
        rmdir -- "${folder%/*}" 2>/dev/null
        exit 0
        """;
  }

  private String head() {
    return "folder=%s\nmark=%s\ntag=%d\njob=0\njob_ticks=\nresult_limit=%d\n"
            .formatted(JobScript.quote(folder), JobScript.quote(mark), tag, RESULT_LIMIT)
        + COMMON;
  }

  /**
   * Each file takes its place as a whole, and in a command behind its text. The same script may
   * have been sent before, over a link that broke, and go on only when the job runs that the later
   * one has started: its shell must not find the file that it reads cut short, which would be a job
   * that ends with 0. Nor must a text of which the link has lost the rest.
   */
  private static void file(StringBuilder text, String name, String content) {
    String end = "END_" + UUID.randomUUID().toString().replace("-", "");
    text.append("cat >%s.$$ <<'%s' || exit 1\n".formatted(name, end)).append(content);
    text.append(content.endsWith("\n") ? "" : "\n").append(end).append('\n');
    text.append("mv -f %1$s.$$ %1$s || exit 1\n".formatted(name));
  }

  private static String resource(String name) {
    try (InputStream in = NodeScripts.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("resource " + name, e);
    }
  }
}
