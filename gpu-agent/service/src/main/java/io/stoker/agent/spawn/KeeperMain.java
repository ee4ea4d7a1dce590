package io.stoker.agent.spawn;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Main class of what becomes the keeper of a spawner: a process that does nothing but be there. It
 * is the spawner's parent and adopts, should the spawner be killed, the jobs; it asks for nobody's
 * exit code, so that the kernel keeps that of each, for {@link OwnProcess#exitCode} and the
 * watchdog to read. It is a {@code cat} that waits for what never comes: it takes next to no
 * memory, and no CPU.
 *
 * <p>It writes nothing: an agent that is ended at once must leave nobody behind who still begins.
 *
 * <p>Arguments: the agent's data folder, absolute; the spawner's command.
 */
public final class KeeperMain {
  /** Makes the agent's own executable this one, where there is no JVM to run a class of it. */
  public static final String ARGUMENT = "keeper";

  /** Holds a file for each keeper, which tells its process: {@code <pid> <start ticks>}. */
  public static final String FOLDER = "keepers";

  /** A named pipe, to which nobody writes. */
  public static final String PIPE = "keeper.pipe";

  private static final String SHELL = "/bin/sh";
  private static final String WAIT = "exec cat \"$1\" </dev/null >/dev/null 2>&1";

  private KeeperMain() {}

  public static void main(String[] arguments) throws IOException {
    Subreaper.adopt();
    String pipe = Path.of(arguments[0]).resolve(PIPE).toString();
    List<String> spawner = Arrays.asList(arguments).subList(1, arguments.length);
    new ProcessBuilder(spawner).inheritIO().start();
    Descriptors.keep();
    try (Texts command = new Texts(List.of(SHELL, "-c", WAIT, SHELL, pipe))) {
      Libc.execv(Texts.one(SHELL), command.address());
    }
    // The spawner is the agent's child then, which keeps its jobs as long as it lives itself.
    System.err.println("there is no keeper: " + Subreaper.error(Native.getLastError()));
    Runtime.getRuntime().halt(1);
  }
}
