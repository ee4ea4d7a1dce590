package io.stoker.cli.stack.service;

import io.stoker.cli.local.Home;
import io.stoker.cli.stack.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How to run the agent that was built: by its jar, or, where the JVM has a cache of what its start
 * loads and links, by the same classes on a plain class path, which such a cache needs.
 */
public final class AgentProgram {
  /**
   * An agent mostly waits for the kernel and the broker: in its first minutes the second compiler
   * would take more CPU than all else it does, and tens of MiB for good.
   */
  private static final List<String> FLAGS =
      List.of(
          "-Xms16m",
          "-Xmx192m",
          "-XX:TieredStopAtLevel=1",
          "-XX:-UsePerfData",
          "-XX:MinHeapFreeRatio=20",
          "-XX:MaxHeapFreeRatio=40");

  private static final String MAIN = "io.stoker.agent.link.AgentMain";

  private final Path jar;
  private final Path cache;

  /**
   * @param jar the agent's runnable jar
   * @param cache folder for what can be made again
   */
  public AgentProgram(Path jar, Path cache) {
    this.jar = jar;
    this.cache = cache;
  }

  /** The one that was built here. */
  public static AgentProgram of(Home home) {
    return new AgentProgram(home.agentJar(), home.cache());
  }

  /** Its cache, of this JVM and this build. */
  StartCache startCache() throws IOException {
    return new StartCache(cache, jars());
  }

  /**
   * What runs it.
   *
   * @param flags of the JVM, besides its own
   */
  public List<String> command(List<String> flags) throws IOException {
    Optional<Path> cached = startCache().file();
    return cached.isPresent()
        ? onClassPath(List.of("-XX:AOTCache=" + cached.get()), flags, List.of())
        : JavaCommand.jar(all(List.of(), flags), jar, List.of());
  }

  /** What runs it in such a way that its cache is made. */
  List<String> rehearsal(Path cacheFile) throws IOException {
    return onClassPath(List.of("-XX:AOTCacheOutput=" + cacheFile), List.of(), List.of("rehearse"));
  }

  private List<String> onClassPath(List<String> first, List<String> flags, List<String> arguments)
      throws IOException {
    List<String> classPath = jars().stream().map(Path::toString).toList();
    List<String> all = new ArrayList<>(first);
    // It says what does not fit to nobody's use: then it does without.
    all.addAll(List.of("-Xlog:aot=off", "-Xlog:cds=off"));
    // What its jar says in its manifest, and does before anything else.
    all.add("--enable-native-access=ALL-UNNAMED");
    all.add("-Djava.util.logging.manager=org.jboss.logmanager.LogManager");
    return JavaCommand.main(all(all, flags), classPath, MAIN, arguments);
  }

  private static List<String> all(List<String> first, List<String> flags) {
    return Stream.of(first, FLAGS, flags).flatMap(List::stream).toList();
  }

  /** All of its classes, those first that win over later ones; always in the same order. */
  private List<Path> jars() throws IOException {
    Path app = jar.getParent();
    List<Path> jars = new ArrayList<>();
    jars.add(app.resolve("quarkus/transformed-bytecode.jar"));
    jars.add(app.resolve("quarkus/generated-bytecode.jar"));
    for (String folder : List.of("app", "lib/boot", "lib/main")) {
      if (Files.isDirectory(app.resolve(folder))) {
        try (Stream<Path> files = Files.list(app.resolve(folder))) {
          files.filter(file -> file.toString().endsWith(".jar")).sorted().forEach(jars::add);
        }
      }
    }
    return jars.stream().filter(Files::isRegularFile).toList();
  }

  /** Makes the cache if there is none; see {@link StartCache#makeInBackground}. */
  public void makeCacheInBackground() throws IOException {
    startCache().makeInBackground(this::rehearsal);
  }

  /**
   * Makes the cache if there is none, and returns when it is there.
   *
   * @return whether there is one now
   */
  public boolean makeCache() throws IOException, InterruptedException {
    return startCache().make(this::rehearsal);
  }
}
